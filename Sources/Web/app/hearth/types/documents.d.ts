// Made by Tests/Web/make_types.py from rpc.discover. Do not edit.

// Empty tables are absent.

/** The document of `household/ID/mine`. */
export type MineState = {
  groceries?: { [key: string]: {
    checkedAt?: string;
    checkedBy?: string;
    editedAt?: string;
    editedBy?: string;
    key: string;
    name: string;
    owner?: string;
    quantity?: number;
    sources?: { [key: string]: {
      at: string;
      by: string;
      note?: string;
      quantity?: number;
      unit?: string;
    } };
    unit?: string;
    was?: string;
  } };
};

export type MineLive = { [key: string]: unknown };

/** The document of `household/ID`. */
export type HouseholdState = {
  activity?: { [key: string]: {
    actor?: string;
    at: string;
    kind: "founded" | "joined" | "left" | "removed" | "hostChanged" | "changed" | "noteAdded" | "restored";
    n: number;
    ref?: string;
  } };
  aggregate?: { [key: string]: {
    key: string;
    lines?: { [key: string]: true };
    name: string;
    quantity?: number;
    unit?: string;
  } };
  chat?: { [key: string]: {
    at: string;
    author: string;
    n: number;
    reactions?: { [key: string]: { [key: string]: boolean } };
    text: string;
  } };
  former?: { [key: string]: {
    leftAt: string;
    name?: string;
    number?: number;
  } };
  groceries?: { [key: string]: {
    checkedAt?: string;
    checkedBy?: string;
    editedAt?: string;
    editedBy?: string;
    key: string;
    name: string;
    owner?: string;
    quantity?: number;
    sources?: { [key: string]: {
      at: string;
      by: string;
      note?: string;
      quantity?: number;
      unit?: string;
    } };
    unit?: string;
    was?: string;
  } };
  household?: {
    createdAt: string;
    currency: string;
    exclusive?: boolean;
    host: string;
    name: string;
    noteLifetime: number;
    policies: {
      notes: "authorOrHost" | "any";
      removal?: "anyMember" | "host";
      settings?: "anyMember" | "host";
    };
    timeZone: string;
  };
  invitations?: { [key: string]: {
    at: string;
    by: string;
    expiresAt: string;
    guest?: boolean;
  } };
  joinCodes?: { [key: string]: {
    at: string;
    by: string;
    expiresAt: string;
    used: number;
    uses: number;
  } };
  members?: { [key: string]: {
    away?: {
      delegate?: string;
      from: string;
      to: string;
    };
    birthday?: string;
    guestOf?: string;
    handles?: { [key: string]: string };
    joinedAt: string;
    name: string;
    preferred?: "venmo" | "paypal" | "applePay" | "other";
    role: "host" | "member" | "guest";
  } };
  notes?: { [key: string]: {
    at: string;
    author: string;
    colour?: "yellow" | "orange" | "red" | "pink" | "purple" | "blue" | "green" | "grey" | "white";
    editedAt?: string;
    editedBy?: string;
    expiresAt?: string;
    place?: {
      x: number;
      y: number;
    };
    reactions?: { [key: string]: { [key: string]: boolean } };
    text: string;
    was?: string;
  } };
};

export type HouseholdLive = {
  presence?: { [key: string]: {
    lastSeen: string;
    online?: boolean;
  } };
};

/** The document of `me`. */
export type MeState = {
  account?: {
    email?: string;
    limited?: boolean;
    password?: boolean;
    pending?: string;
    pin?: boolean;
    verified?: boolean;
  };
  asked?: { [key: string]: {
    at: string;
    sharedAt?: string;
    until: string;
  } };
  asks?: { [key: string]: {
    at: string;
    name: string;
    until: string;
  } };
  blocked?: { [key: string]: {
    at: string;
    name?: string;
  } };
  chats?: { [key: string]: {
    n: number;
    read: number;
  } };
  contactInvitations?: { [key: string]: {
    at: string;
    expiresAt: string;
    from: string;
    name: string;
  } };
  contacts?: { [key: string]: {
    name: string;
    since: string;
  } };
  devices?: { [key: string]: {
    createdAt: string;
    lastUsedAt: string;
    name: string;
  } };
  dismissed?: { [key: string]: {
    at: string;
    name: string;
    restorable?: boolean;
    until: string;
  } };
  households?: { [key: string]: {
    at: string;
    exclusive?: boolean;
    name: string;
    role: "host" | "member" | "guest";
  } };
  inbox?: { [key: string]: {
    actor?: string;
    actorName?: string;
    arriveBy?: string;
    at: string;
    battery?: number;
    cause?: "noContact" | "noFix";
    fixedAt?: string;
    kind: "invitation" | "declined" | "unavailable" | "joined" | "left" | "removed" | "host" | "dismissed" | "restored" | "stayOver" | "note" | "share" | "arrived" | "ended" | "ending" | "lost" | "back" | "receiverLeft" | "stopAsked" | "stopConfirmed" | "stopDenied" | "pickup" | "late" | "urgent" | "ask" | "login" | "handles" | "contactInvitation" | "contactAccepted";
    link?: string;
    name?: string;
    pickup?: "none" | "wanted" | "requested" | "accepted" | "collected";
    place?: string;
    readAt?: string;
    reason?: "timeUp" | "arrived" | "notArrived" | "neverLeft" | "deleted" | "noReceivers" | "blocked" | "stopped" | "phoneLost" | "left";
    ref?: string;
    room?: string;
    until?: string;
  } };
  invitations?: { [key: string]: {
    at: string;
    by: string;
    byName: string;
    expiresAt: string;
    guest?: boolean;
    household: string;
    name: string;
  } };
  profile?: {
    birthday?: string;
    handles?: { [key: string]: string };
    name: string;
    preferred?: "venmo" | "paypal" | "applePay" | "other";
    sharesHandles?: boolean;
  };
  reporter?: {
    client?: string;
    session?: string;
    since?: string;
  };
  sentContactInvitations?: { [key: string]: {
    at: string;
    email?: string;
    expiresAt: string;
    person?: string;
  } };
  sentInvitations?: { [key: string]: {
    at: string;
    email?: string;
    expiresAt: string;
    guest?: boolean;
    household: string;
    person?: string;
  } };
  settings?: {
    boardColour?: "yellow" | "orange" | "red" | "pink" | "purple" | "blue" | "green" | "grey" | "white";
    client?: string;
    hour?: string;
    muted?: { [key: string]: boolean };
    presence?: "shown" | "hidden";
    quietFrom?: string;
    quietTo?: string;
    seen?: { [key: string]: boolean };
    timeZone?: string;
  };
  shares?: { [key: string]: {
    arriveBy?: string;
    driver?: string;
    driverName?: string;
    name: string;
    pickup?: "none" | "wanted" | "requested" | "accepted" | "collected";
    place?: string;
    role: "sharer" | "receiver";
    sharer: string;
    state: "active" | "arrived";
    until: string;
  } };
};

export type MeLive = { [key: string]: unknown };

/** The document of `share/ID`. */
export type ShareState = {
  formerReceivers?: { [key: string]: {
    at: string;
    name: string;
    state: "left" | "confirmed";
  } };
  pickup?: {
    arriveBy?: string;
    by?: string;
    byName?: string;
    late?: boolean;
    requestedAt?: string;
    state?: "none" | "wanted" | "requested" | "accepted" | "collected";
  };
  receivers?: { [key: string]: {
    deniedAt?: string;
    invitedAt: string;
    name: string;
    seenAt?: string;
    state: "invited" | "seen";
  } };
  share?: {
    arrival?: "alreadyInside" | "underWay" | "arrived";
    arrivedAt?: string;
    endedAt?: string;
    lost?: "noContact" | "noFix";
    lostAt?: string;
    name: string;
    note?: string;
    place?: {
      label: string;
      lat: number;
      lon: number;
      r?: number;
    };
    reason?: "timeUp" | "arrived" | "notArrived" | "neverLeft" | "deleted" | "noReceivers" | "blocked" | "stopped" | "phoneLost" | "left";
    sharer: string;
    silence?: "keeps" | "confirms";
    startedAt: string;
    stop?: "consent" | "notify";
    trackedAt?: string;
    trail?: boolean;
    until?: string;
  };
  stopRequest?: {
    askedAt?: string;
    until?: string;
  };
};

export type ShareLive = {
  link?: {
    at?: string;
  };
  position?: {
    accuracy?: number;
    at?: string;
    battery?: number;
    coarse?: boolean;
    lat?: number;
    lon?: number;
    receivedAt?: string;
    stillSince?: string;
    suspect?: boolean;
  };
  trail?: { [key: string]: {
    accuracy?: number;
    at: string;
    lat: number;
    lon: number;
  } };
};
