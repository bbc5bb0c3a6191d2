// Made by Tests/Web/make_types.py from rpc.discover. Do not edit.

// Empty tables are absent.

/** The document of `household/ID/mine`. */
export type MineState = {
  categories?: { [key: string]: {
    name: string;
  } };
  groceries?: { [key: string]: {
    barcode?: string;
    category?: string;
    checkedAt?: string;
    checkedBy?: string;
    editedAt?: string;
    editedBy?: string;
    key: string;
    late?: boolean;
    list?: string;
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
    kind: "founded" | "joined" | "left" | "removed" | "hostChanged" | "changed" | "noteAdded" | "restored" | "choreAdded" | "choreDone" | "choreRemoved" | "rewardRedeemed" | "rotaChanged" | "rotaDone" | "eventAdded" | "eventRemoved" | "specialEventAdded" | "billAdded" | "billChanged" | "billRemoved" | "shopped" | "purchaseChanged" | "paid";
    n: number;
    name?: string;
    ref?: string;
  } };
  aggregate?: { [key: string]: {
    category?: string;
    key: string;
    lines?: { [key: string]: true };
    name: string;
    quantity?: number;
    unit?: string;
  } };
  balances?: { [key: string]: {
    people?: { [key: string]: number };
  } };
  billCategories?: { [key: string]: {
    name: string;
  } };
  bills?: { [key: string]: {
    amount: number;
    at: string;
    by?: string;
    category?: string;
    currency: string;
    date: string;
    dueDate?: string;
    editedAt?: string;
    editedBy?: string;
    edits?: number;
    note?: string;
    origin?: {
      kind: "drinks" | "recurring" | "trip" | "request";
      ref: string;
    };
    original?: {
      amount: number;
      currency: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
      rate?: string;
    };
    paid?: { [key: string]: number };
    removedAt?: string;
    removedBy?: string;
    shares?: { [key: string]: number };
    split: {
      items?: readonly ({
        amount: number;
        kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised";
        name?: string;
        parts?: { [key: string]: number };
        people?: readonly string[];
      })[];
      kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised";
      parts?: { [key: string]: number };
      people?: readonly string[];
    };
    title: string;
    was?: string;
  } };
  categories?: { [key: string]: {
    name: string;
  } };
  chat?: { [key: string]: {
    at: string;
    author: string;
    n: number;
    reactions?: { [key: string]: { [key: string]: boolean } };
    text: string;
  } };
  choreCatalogue?: { [key: string]: {
    count: number;
    essential?: "dishes" | "dishwasher" | "cooking" | "trash" | "recycling" | "vacuum" | "mop" | "dust" | "bathroom" | "toilet" | "kitchen" | "fridge" | "laundry" | "ironing" | "beds" | "windows" | "plants" | "pets" | "shopping" | "mail";
    name: string;
    usedAt: string;
  } };
  choreStats?: { [key: string]: {
    done: number;
    points: number;
    week: string;
  } };
  chores?: { [key: string]: {
    all?: boolean;
    at: string;
    author: string;
    birthday?: string;
    birthdayOf?: string;
    date?: string;
    editedAt?: string;
    editedBy?: string;
    essential?: "dishes" | "dishwasher" | "cooking" | "trash" | "recycling" | "vacuum" | "mop" | "dust" | "bathroom" | "toilet" | "kitchen" | "fridge" | "laundry" | "ironing" | "beds" | "windows" | "plants" | "pets" | "shopping" | "mail";
    first?: string;
    graceHours?: number;
    missed: number;
    name: string;
    needsApproval?: boolean;
    note?: string;
    number: number;
    people: readonly string[];
    points?: number;
    repeat?: {
      basis?: "due" | "completion";
      count?: number;
      day?: number;
      every: number;
      nth?: number;
      unit: "days" | "weeks" | "months" | "years";
      until?: string;
      weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
      weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
    };
    rotation?: "weeks" | "months";
    skipsItself?: boolean;
    standing?: boolean;
    strategy: "fixed" | "roundRobin" | "random" | "leastCompleted" | "leastPoints" | "byWeekday" | "open";
    swaps?: { [key: string]: string };
    task: string;
    time?: string;
    turn?: string;
    urgent?: boolean;
    was?: string;
    weekdays?: { [key: string]: string };
  } };
  debts?: { [key: string]: {
    amount: number;
    bills: readonly {
      bill?: string;
      left: number;
    }[];
    currency: string;
    from: string;
    to: string;
  } };
  dinner?: { [key: string]: {
    answers?: { [key: string]: {
      at: string;
      by?: string;
      cook?: boolean;
      eats?: "in" | "out" | "unknown";
      guests?: number;
      late?: boolean;
    } };
  } };
  dinnerPatterns?: { [key: string]: {
    days?: { [key: string]: "in" | "out" | "unknown" };
    from: string;
  } };
  drinkEntries?: { [key: string]: {
    act: "drunk" | "bought" | "corrected";
    at: string;
    by: string;
    cost?: number;
    currency?: string;
    kind: string;
    n: number;
    person: string;
  } };
  drinkPeriod?: {
    number: number;
    since?: string;
  };
  drinks?: { [key: string]: {
    counts?: { [key: string]: {
      bought: number;
      carried: number;
      drunk: number;
    } };
    name: string;
    stock: number;
    unaccounted: number;
  } };
  events?: { [key: string]: {
    at: string;
    author: string;
    editedAt?: string;
    editedBy?: string;
    end?: string;
    lastDay?: string;
    note?: string;
    repeats?: {
      basis?: "due" | "completion";
      count?: number;
      day?: number;
      every: number;
      nth?: number;
      unit: "days" | "weeks" | "months" | "years";
      until?: string;
      weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
      weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
    };
    start: string;
    title: string;
    was?: string;
    who?: { [key: string]: true };
  } };
  former?: { [key: string]: {
    leftAt: string;
    name?: string;
    number?: number;
  } };
  groceries?: { [key: string]: {
    barcode?: string;
    category?: string;
    checkedAt?: string;
    checkedBy?: string;
    editedAt?: string;
    editedBy?: string;
    key: string;
    late?: boolean;
    list?: string;
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
    dinnerCutoff?: string;
    exclusive?: boolean;
    host: string;
    name: string;
    noteLifetime: number;
    points?: boolean;
    policies: {
      notes: "authorOrHost" | "any";
      removal?: "anyMember" | "host";
      rota?: "anyMember" | "host";
      settings?: "anyMember" | "host";
    };
    simplify?: boolean;
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
  lists?: { [key: string]: {
    at: string;
    by: string;
    editedAt?: string;
    editedBy?: string;
    name: string;
    shelves: {
      fixed?: boolean;
      order: readonly string[];
    };
    store?: string;
    was?: string;
  } };
  mainList?: {
    fixed?: boolean;
    order: readonly string[];
  };
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
  occurrences?: { [key: string]: {
    chore: string;
    completion?: {
      at: string;
      basis?: "due" | "completion";
      by: string;
      minutes?: number;
      note?: string;
      swap?: boolean;
    };
    date?: string;
    doneBy?: { [key: string]: string };
    dueAt?: string;
    overdue?: boolean;
    people: readonly string[];
    rejection?: string;
    was?: string;
  } };
  payments?: { [key: string]: {
    amount: number;
    at: string;
    bills?: readonly string[];
    by: string;
    closedAt?: string;
    closedBy?: string;
    currency: string;
    extRef?: string;
    from: string;
    method?: "venmo" | "paypal" | "applePay" | "cash" | "bank" | "other";
    overpaid?: boolean;
    paid?: readonly {
      bill?: string;
      left: number;
    }[];
    reason?: string;
    state: "pending" | "confirmed" | "rejected" | "cancelled" | "reversed";
    to: string;
    until?: string;
    was?: string;
  } };
  points?: { [key: string]: {
    earned: number;
    spent: number;
  } };
  recurringBills?: { [key: string]: {
    amount: number;
    at: string;
    author: string;
    category?: string;
    currency: string;
    editedAt?: string;
    editedBy?: string;
    first: string;
    host: string;
    lead: number;
    next?: string;
    nextAt?: string;
    note?: string;
    number: number;
    paused?: boolean;
    posted?: { [key: string]: {
      bill: string;
      host: string;
      paidBy?: string;
      paidOn?: string;
    } };
    repeat: {
      basis?: "due" | "completion";
      count?: number;
      day?: number;
      every: number;
      nth?: number;
      unit: "days" | "weeks" | "months" | "years";
      until?: string;
      weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
      weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
    };
    split: {
      items?: readonly ({
        amount: number;
        kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised";
        name?: string;
        parts?: { [key: string]: number };
        people?: readonly string[];
      })[];
      kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised";
      parts?: { [key: string]: number };
      people?: readonly string[];
    };
    title: string;
    was?: string;
  } };
  redemptions?: { [key: string]: {
    at: string;
    by: string;
    name: string;
    points: number;
    reward: string;
  } };
  requests?: { [key: string]: {
    at: string;
    author: string;
    closedAt?: string;
    currency: string;
    note?: string;
    parts?: { [key: string]: {
      amount: number;
      at: string;
      bill?: string;
      reason?: string;
      state: "pending" | "accepted" | "paid" | "declined" | "cancelled" | "expired";
    } };
    platform?: "venmo" | "paypal" | "applePay" | "other";
    title: string;
    until: string;
    was?: string;
  } };
  rewards?: { [key: string]: {
    at: string;
    author: string;
    cost: number;
    editedAt?: string;
    editedBy?: string;
    name: string;
    was?: string;
  } };
  rota?: { [key: string]: {
    at: string;
    by: string;
    fromWeek: string;
    residents: readonly string[];
    restart: "year" | "never";
    startWeek?: string;
    tasks: readonly string[];
  } };
  rotaTasks?: { [key: string]: {
    name: string;
  } };
  rotaWeeks?: { [key: string]: {
    claims?: { [key: string]: string };
    counted?: { [key: string]: string };
    doneAt?: { [key: string]: string };
    doneBy?: { [key: string]: string };
  } };
  specialEvents?: { [key: string]: {
    at: string;
    author: string;
    busy?: { [key: string]: readonly {
      from: string;
      to: string;
    }[] };
    description?: string;
    hours?: {
      from: string;
      to: string;
    };
    minutes?: { [key: string]: number };
    title: string;
    window: {
      from: string;
      to: string;
    };
  } };
  stock?: { [key: string]: {
    at: string;
    by: string;
    level: "in" | "low" | "out";
    name: string;
  } };
  transfers?: { [key: string]: {
    amount: number;
    currency: string;
    from: string;
    to: string;
  } };
  trips?: { [key: string]: {
    announced?: boolean;
    at: string;
    by: string;
    list?: string;
    state: "open" | "unsettled";
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
    amount?: number;
    arriveBy?: string;
    at: string;
    battery?: number;
    before?: number;
    cause?: "noContact" | "noFix";
    currency?: string;
    debts?: readonly {
      amount: number;
      currency: string;
      to: string;
    }[];
    fixedAt?: string;
    kind: "invitation" | "declined" | "unavailable" | "joined" | "left" | "removed" | "host" | "dismissed" | "restored" | "standIn" | "stayOver" | "note" | "rota" | "event" | "eventChanged" | "eventRemoved" | "specialEvent" | "specialEventCancelled" | "share" | "arrived" | "ended" | "ending" | "lost" | "back" | "receiverLeft" | "stopAsked" | "stopConfirmed" | "stopDenied" | "pickup" | "late" | "urgent" | "ask" | "login" | "handles" | "contactInvitation" | "contactAccepted" | "choreAdded" | "choreDone" | "choreRemoved" | "choreDue" | "choreUnassigned" | "choreUnclaimed" | "choreToApprove" | "choreRejected" | "choreReminder" | "thanks" | "birthday" | "rewardRedeemed" | "shopping" | "shoppingCancelled" | "shopped" | "purchaseChanged" | "dinner" | "bill" | "billChanged" | "billRemoved" | "payment" | "paymentConfirmed" | "paymentRejected" | "paymentRecorded" | "paymentUndone" | "debtReminder" | "debts" | "recurringBill" | "recurringBillChanged" | "recurringBillCancelled" | "recurringBillPaused" | "billDue" | "rentDue" | "rentPaid" | "request" | "requestAccepted" | "requestDeclined" | "requestExpired";
    link?: string;
    name?: string;
    pickup?: "none" | "wanted" | "requested" | "accepted" | "collected";
    place?: string;
    quietUntil?: string;
    readAt?: string;
    reason?: "timeUp" | "arrived" | "notArrived" | "neverLeft" | "deleted" | "noReceivers" | "blocked" | "stopped" | "phoneLost" | "left";
    ref?: string;
    room?: string;
    thankedAt?: string;
    until?: string;
    urgent?: boolean;
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
  mutedSenders?: { [key: string]: {
    until: string;
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
