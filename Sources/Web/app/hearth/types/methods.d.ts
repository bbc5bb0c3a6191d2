// Made by Tests/Web/make_types.py from rpc.discover. Do not edit.

/** All methods: their parameters but those that the library sets, and their results. */
export interface Methods {
  /** Lists what has happened in a household, newest first (ACT-1). */
  "activity.list": {
    params: {
      before?: string | null;
      limit?: number | null;
    };
    result: {
      items: readonly ({
        actor?: string;
        at: string;
        kind: "founded" | "joined" | "left" | "removed" | "hostChanged" | "changed" | "noteAdded" | "restored" | "choreAdded" | "choreDone" | "choreRemoved" | "rewardRedeemed" | "rotaChanged" | "rotaDone" | "eventAdded" | "eventRemoved" | "specialEventAdded" | "billAdded" | "billChanged" | "billRemoved" | "shopped" | "purchaseChanged" | "paid";
        n: number;
        name?: string;
        ref?: string;
      })[];
      next?: string;
    };
  };
  /** Gives the caller's account another address, once a code comes back from there (ACC-16). */
  "auth.changeAddress": {
    params: {
      email: string;
      password?: string | null;
      provider?: string | null;
      idToken?: string | null;
    };
    result: { [key: string]: unknown };
  };
  /** Gives the caller's account another password, and ends all its other sessions (ACC-17). */
  "auth.changePassword": {
    params: {
      password?: string | null;
      newPassword: string;
      provider?: string | null;
      idToken?: string | null;
    };
    result: {
      deviceToken: string;
    };
  };
  /** Confirms, for some minutes, that the caller is the owner of the account (BIL-8). */
  "auth.confirm": {
    params: {
      pin?: string | null;
      password?: string | null;
      provider?: string | null;
      idToken?: string | null;
    };
    result: {
      until: string;
    };
  };
  /** Deletes the caller's account: all sessions end, nothing of theirs is kept, and their name is forgotten (ACC-9). */
  "auth.deleteAccount": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Mails a code that replaces a forgotten password (ACC-10). */
  "auth.forgotPassword": {
    params: {
      email: string;
    };
    result: { [key: string]: unknown };
  };
  /** Logs in with an e-mail address and a password (ACC-3). */
  "auth.logIn": {
    params: {
      email: string;
      password: string;
      device?: string | null;
      deviceToken?: string | null;
    };
    result: {
      deviceToken: string;
      me: string;
      session: string;
      token: string;
    };
  };
  /** Logs in with an ID token of OpenID Connect, and makes an account at the first time (ACC-4). */
  "auth.logInWithToken": {
    params: {
      provider: string;
      idToken: string;
      name?: string;
      birthday?: string | null;
      device?: string | null;
    };
    result: {
      deviceToken?: string;
      me: string;
      session: string;
      token: string;
    };
  };
  /** Ends the session everywhere: its token is dead (ACC-6). */
  "auth.logOut": {
    params: { [key: string]: never };
    result: { [key: string]: unknown };
  };
  /** Answers a nonce for an ID token, which counts once and for ten minutes (ACC-4). */
  "auth.nonce": {
    params: { [key: string]: never };
    result: {
      expiresAt: string;
      nonce: string;
    };
  };
  /** Answers a puzzle, for a proof of work (SEC-10). */
  "auth.puzzle": {
    params: { [key: string]: never };
    result: {
      algorithm: "SHA-256";
      challenge: string;
      maxnumber: number;
      need: boolean;
      salt: string;
      signature: string;
    };
  };
  /** Leaves the caller's account without a PIN (BIL-8). */
  "auth.removePin": {
    params: {
      pin: string;
    };
    result: { [key: string]: unknown };
  };
  /** Replaces a forgotten password by a mailed code, ends all sessions and logs in (ACC-10). */
  "auth.resetPassword": {
    params: {
      email: string;
      code: string;
      newPassword: string;
      device?: string | null;
    };
    result: {
      deviceToken: string;
      me: string;
      session: string;
      token: string;
    };
  };
  /** Mails another code to the address that is to be proved (ACC-16). */
  "auth.sendCode": {
    params: { [key: string]: never };
    result: { [key: string]: unknown };
  };
  /** Gives the caller's account a PIN, or another one (BIL-8, ACC-17). */
  "auth.setPin": {
    params: {
      pin: string;
      password?: string | null;
      provider?: string | null;
      idToken?: string | null;
    };
    result: { [key: string]: unknown };
  };
  /** Makes an account and logs in (ACC-1, ACC-2). */
  "auth.signUp": {
    params: {
      email: string;
      password: string;
      name: string;
      birthday?: string | null;
      device?: string | null;
    };
    result: {
      deviceToken: string;
      me: string;
      session: string;
      token: string;
    };
  };
  /** Takes a mailed code: its address is the account's from now on (ACC-16). */
  "auth.verify": {
    params: {
      code: string;
    };
    result: { [key: string]: unknown };
  };
  /** Adds a bill: the balances change, and all whom it concerns are notified (BIL-1, BIL-2). */
  "bills.add": {
    params: {
      id?: string | null;
      bill: {
        amount?: number | null;
        category?: string | null;
        currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
        date?: string | null;
        dueDate?: string | null;
        note?: string | null;
        original?: {
          amount: number;
          currency: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
          rate?: string | null;
        } | null;
        paid?: { [key: string]: number } | null;
        split?: {
          items?: readonly ({
            amount: number;
            kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
            name?: string | null;
            parts?: { [key: string]: number };
            people?: readonly string[] | null;
          })[] | null;
          kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
          parts?: { [key: string]: number };
          people?: readonly string[] | null;
        } | null;
        title?: string | null;
      };
    };
    result: {
      id: string;
      shares?: { [key: string]: number };
      version: number;
    };
  };
  /** Changes a bill; what is left out stays as it is (BIL-13). */
  "bills.edit": {
    params: {
      id: string;
      bill: {
        amount?: number | null;
        category?: string | null;
        currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
        date?: string | null;
        dueDate?: string | null;
        note?: string | null;
        original?: {
          amount: number;
          currency: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
          rate?: string | null;
        } | null;
        paid?: { [key: string]: number } | null;
        split?: {
          items?: readonly ({
            amount: number;
            kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
            name?: string | null;
            parts?: { [key: string]: number };
            people?: readonly string[] | null;
          })[] | null;
          kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
          parts?: { [key: string]: number };
          people?: readonly string[] | null;
        } | null;
        title?: string | null;
      };
    };
    result: {
      id: string;
      shares?: { [key: string]: number };
      version: number;
    };
  };
  /** Lists the bills, those that were added last first; removed ones are marked (BIL-9, BIL-10). */
  "bills.list": {
    params: {
      before?: string | null;
      limit?: number | null;
      people?: readonly string[] | null;
      category?: string | null;
      from?: string | null;
      until?: string | null;
    };
    result: {
      items: readonly ({
        bill: {
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
        };
        id: string;
      })[];
      next?: string;
    };
  };
  /** Removes a bill: its debts are taken back; for ten minutes it can be brought back (BIL-13, R-DEL). */
  "bills.remove": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Brings a bill back that was removed in the last ten minutes, under a new id (R-DEL). */
  "bills.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      shares?: { [key: string]: number };
      version: number;
    };
  };
  /** Adds up what the household has spent, by month, currency and category (BIL-12). */
  "bills.spending": {
    params: {
      to?: string | null;
      months?: number | null;
    };
    result: {
      months: readonly {
        categories?: { [key: string]: {
          amount: number;
          people?: { [key: string]: number };
        } };
        currency: string;
        month: string;
      }[];
    };
  };
  /** Lists what a bill was before each of its changes, and who made them, newest first (BIL-13). */
  "bills.versions": {
    params: {
      before?: string | null;
      limit?: number | null;
      id: string;
    };
    result: {
      items: readonly ({
        at: string;
        bill: {
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
        };
        by?: string;
        edits: number;
        id: string;
      })[];
      next?: string;
    };
  };
  /** Makes a secret link to the caller's calendar, in place of the one before; only this answer holds it (CHO-27). */
  "calendar.link": {
    params: { [key: string]: never };
    result: {
      path: string;
      version: number;
    };
  };
  /** Tells since when there has been a link to the caller's calendar, but not the link (CHO-27). */
  "calendar.show": {
    params: { [key: string]: never };
    result: {
      linkedAt?: string;
    };
  };
  /** Makes the link to the caller's calendar invalid at once (CHO-27). */
  "calendar.unlink": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Lists the messages that are older than those in the state, newest first (NTE-6). */
  "chat.list": {
    params: {
      before?: string | null;
      limit?: number | null;
    };
    result: {
      items: readonly {
        id: string;
        message: {
          at: string;
          author: string;
          n: number;
          reactions?: { [key: string]: { [key: string]: boolean } };
          text: string;
        };
      }[];
      next?: string;
    };
  };
  /** Adds an emoji to one of the newest messages of the chat, or takes it back (NTE-6). */
  "chat.react": {
    params: {
      id: string;
      emoji: string;
      on: boolean;
    };
    result: {
      version: number;
    };
  };
  /** Marks the chat of a household as read, up to a message or the newest (NTE-6). */
  "chat.read": {
    params: {
      household: string;
      n?: number | null;
    };
    result: {
      version: number;
    };
  };
  /** Removes one of the newest messages of the chat; its author and the host may (NTE-6, HH-15). */
  "chat.remove": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Sends a message to the household's chat (NTE-6). */
  "chat.send": {
    params: {
      id?: string | null;
      text: string;
    };
    result: {
      id: string;
      n: number;
      version: number;
    };
  };
  /** Puts a chore on the list, and its name in the catalogue; all other members are notified (CHO-2 to CHO-7). */
  "chores.add": {
    params: {
      id?: string | null;
      occurrence?: string | null;
      chore: {
        all?: boolean | null;
        date?: string | null;
        essential?: "dishes" | "dishwasher" | "cooking" | "trash" | "recycling" | "vacuum" | "mop" | "dust" | "bathroom" | "toilet" | "kitchen" | "fridge" | "laundry" | "ironing" | "beds" | "windows" | "plants" | "pets" | "shopping" | "mail" | null;
        graceHours?: number | null;
        name?: string | null;
        needsApproval?: boolean | null;
        note?: string | null;
        people?: readonly string[] | null;
        points?: number | null;
        repeat?: {
          basis?: "due" | "completion" | null;
          count?: number | null;
          day?: number | null;
          every: number;
          nth?: number | null;
          unit: "days" | "weeks" | "months" | "years";
          until?: string | null;
          weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
          weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
        } | null;
        rotation?: "weeks" | "months" | null;
        skipsItself?: boolean | null;
        standing?: boolean | null;
        strategy?: "fixed" | "roundRobin" | "random" | "leastCompleted" | "leastPoints" | "byWeekday" | "open" | null;
        time?: string | null;
        urgent?: boolean | null;
        weekdays?: { [key: string]: string } | null;
      };
    };
    result: {
      id: string;
      occurrence: string;
      people: readonly string[];
      version: number;
    };
  };
  /** Approves another member's completion, or opens the chore again (CHO-20). */
  "chores.approve": {
    params: {
      id: string;
      approved: boolean;
      note?: string | null;
    };
    result: {
      date?: string;
      next?: string;
      version: number;
      waiting?: boolean;
    };
  };
  /** Takes a chore that nobody has, or takes over that of the member whom `from` names (CHO-13). */
  "chores.claim": {
    params: {
      id: string;
      from?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Marks a chore as done; the next occurrence comes in the same change (CHO-8, CHO-9, CHO-12). */
  "chores.complete": {
    params: {
      id: string;
      doneAt?: string | null;
      note?: string | null;
      minutes?: number | null;
      basis?: "due" | "completion" | null;
      swap?: boolean | null;
    };
    result: {
      date?: string;
      next?: string;
      version: number;
      waiting?: boolean;
    };
  };
  /** Changes a chore; what is left out stays as it is (CHO-11). */
  "chores.edit": {
    params: {
      id: string;
      chore: {
        all?: boolean | null;
        date?: string | null;
        essential?: "dishes" | "dishwasher" | "cooking" | "trash" | "recycling" | "vacuum" | "mop" | "dust" | "bathroom" | "toilet" | "kitchen" | "fridge" | "laundry" | "ironing" | "beds" | "windows" | "plants" | "pets" | "shopping" | "mail" | null;
        graceHours?: number | null;
        name?: string | null;
        needsApproval?: boolean | null;
        note?: string | null;
        people?: readonly string[] | null;
        points?: number | null;
        repeat?: {
          basis?: "due" | "completion" | null;
          count?: number | null;
          day?: number | null;
          every: number;
          nth?: number | null;
          unit: "days" | "weeks" | "months" | "years";
          until?: string | null;
          weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
          weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
        } | null;
        rotation?: "weeks" | "months" | null;
        skipsItself?: boolean | null;
        standing?: boolean | null;
        strategy?: "fixed" | "roundRobin" | "random" | "leastCompleted" | "leastPoints" | "byWeekday" | "open" | null;
        time?: string | null;
        urgent?: boolean | null;
        weekdays?: { [key: string]: string } | null;
      };
      fromNext?: boolean | null;
    };
    result: {
      version: number;
    };
  };
  /** Takes a name out of the catalogue, such as a misspelt one; its completions are no longer counted (CHO-3). */
  "chores.forget": {
    params: {
      task: string;
    };
    result: {
      version: number;
    };
  };
  /** Lists what was done, skipped and missed, newest first (CHO-19, STA-3). */
  "chores.history": {
    params: {
      before?: string | null;
      limit?: number | null;
      person?: string | null;
      task?: string | null;
    };
    result: {
      items: readonly ({
        approvedBy?: string;
        at: string;
        birthdayOf?: string;
        by?: string;
        chore: string;
        date?: string;
        dueAt?: string;
        essential?: "dishes" | "dishwasher" | "cooking" | "trash" | "recycling" | "vacuum" | "mop" | "dust" | "bathroom" | "toilet" | "kitchen" | "fridge" | "laundry" | "ironing" | "beds" | "windows" | "plants" | "pets" | "shopping" | "mail";
        id: string;
        kind: "done" | "skipped" | "missed" | "removed";
        late?: boolean;
        minutes?: number;
        missed?: number;
        name: string;
        note?: string;
        people: readonly string[];
        points?: number;
        ratings?: { [key: string]: number };
        task: string;
      })[];
      next?: string;
    };
  };
  /** Moves one occurrence to another day; the later ones stay where they are (CHO-12). */
  "chores.move": {
    params: {
      id: string;
      date: string;
    };
    result: {
      version: number;
    };
  };
  /** Says what the caller thinks of another member's work; `null` takes it back (CHO-19). */
  "chores.rate": {
    params: {
      id: string;
      stars?: number | null;
    };
    result: {
      version: number;
    };
  };
  /** Gives back a chore that the caller has claimed: another member may take it (CHO-13). */
  "chores.release": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Reminds the members who are to do a chore, or one of them (CHO-18, REM-3). */
  "chores.remind": {
    params: {
      id: string;
      person?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Takes a chore off the list, or only one occurrence of it; the history stays (CHO-10). */
  "chores.remove": {
    params: {
      id: string;
      occurrence?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Brings a chore back that was taken off the list in the last ten minutes, under a new id (R-DEL). */
  "chores.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      occurrence: string;
      people: readonly string[];
      version: number;
    };
  };
  /** Adds up the points and completions of a year, month by month (STA-5). */
  "chores.score": {
    params: {
      year: number;
    };
    result: {
      months?: { [key: string]: {
        final?: boolean;
        people?: { [key: string]: {
          done: number;
          points: number;
        } };
      } };
    };
  };
  /** Skips an occurrence: the turn passes, and nobody gets credit (CHO-23). */
  "chores.skip": {
    params: {
      id: string;
      note?: string | null;
    };
    result: {
      date?: string;
      next?: string;
      version: number;
      waiting?: boolean;
    };
  };
  /** Counts how often each member has done each chore in a time (STA-1, STA-2). */
  "chores.statistics": {
    params: {
      from: string;
      to: string;
    };
    result: {
      people?: { [key: string]: {
        done: number;
        points: number;
        tasks?: { [key: string]: number };
      } };
      tasks?: { [key: string]: {
        essential?: "dishes" | "dishwasher" | "cooking" | "trash" | "recycling" | "vacuum" | "mop" | "dust" | "bathroom" | "toilet" | "kitchen" | "fridge" | "laundry" | "ironing" | "beds" | "windows" | "plants" | "pets" | "shopping" | "mail";
        name: string;
      } };
    };
  };
  /** Undoes the end of an occurrence, under a new id: its doer and the host may, until the next one is over (CHO-24). */
  "chores.undo": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      occurrence: string;
      people: readonly string[];
      version: number;
    };
  };
  /** Accepts an invitation: from now on both are contacts (LOC-33). */
  "contacts.accept": {
    params: {
      id: string;
    };
    result: {
      person: string;
      version: number;
    };
  };
  /** Blocks a person: their invitations and shares no longer come, and shares both ways end (LOC-33). */
  "contacts.block": {
    params: {
      person: string;
    };
    result: {
      version: number;
    };
  };
  /** Declines an invitation to be contacts; nobody is told (LOC-33). */
  "contacts.decline": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Invites a housemate, or the owner of an e-mail address, known or not, to be contacts (LOC-33). */
  "contacts.invite": {
    params: {
      id?: string | null;
      email?: string | null;
      person?: string | null;
    };
    result: {
      expiresAt: string;
      id: string;
      version: number;
    };
  };
  /** Removes a contact on both sides (LOC-33). */
  "contacts.remove": {
    params: {
      person: string;
    };
    result: {
      version: number;
    };
  };
  /** Takes back an invitation to be contacts (LOC-33). */
  "contacts.revoke": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Ends a block; what it has ended does not come back (LOC-33). */
  "contacts.unblock": {
    params: {
      person: string;
    };
    result: {
      version: number;
    };
  };
  /** Gives a device of the caller's another name (ACC-15). */
  "devices.rename": {
    params: {
      id: string;
      name: string;
    };
    result: { [key: string]: unknown };
  };
  /** Logs a device of the caller's out, or all others (ACC-15). */
  "devices.revoke": {
    params: {
      id?: string | null;
      others?: boolean | null;
    };
    result: { [key: string]: unknown };
  };
  /** Counts who eats and cooks on an evening, and how often each member has on the evenings before tonight (DIN-4). */
  "dinner.counts": {
    params: {
      date?: string | null;
    };
    result: {
      cooks: readonly string[];
      date: string;
      eating: number;
      members?: { [key: string]: {
        ate: number;
        cooked: number;
        guests: number;
      } };
      unknown: readonly string[];
    };
  };
  /** Says on which days of the week the caller usually eats at home; it replaces what they said before (DIN-1). */
  "dinner.pattern": {
    params: {
      days?: { [key: string]: "in" | "out" | "unknown" };
    };
    result: {
      version: number;
    };
  };
  /** Says whether a member eats at home on an evening, with how many guests, and whether they cook (DIN-1, DIN-2). */
  "dinner.set": {
    params: {
      date?: string | null;
      person?: string | null;
      eats?: "in" | "out" | "unknown" | null;
      guests?: number | null;
      cook?: boolean | null;
    };
    result: {
      date: string;
      eating: number;
      late?: boolean;
      version: number;
    };
  };
  /** Counts drinks that the caller or another member has drunk; a number below 0 takes some back (DRK-1). */
  "drinks.add": {
    params: {
      id?: string | null;
      kind: string;
      n: number;
      person?: string | null;
    };
    result: {
      id?: string;
      stock: number;
      version: number;
    };
  };
  /** Counts drinks that the caller or another member has bought (DRK-2). */
  "drinks.buy": {
    params: {
      id?: string | null;
      kind: string;
      n: number;
      person?: string | null;
      cost?: number | null;
    };
    result: {
      id?: string;
      stock: number;
      version: number;
    };
  };
  /** Closes the period: its counts are archived and begin again, and its cost is divided by what each drank (DRK-5). */
  "drinks.closePeriod": {
    params: {
      id?: string | null;
      period?: number | null;
      cost?: number | null;
      payer?: string | null;
      carryOver?: boolean | null;
    };
    result: {
      bill?: string;
      id: string;
      period: number;
      shares?: { [key: string]: number };
      version: number;
    };
  };
  /** Says how many drinks of a kind there are; the difference is unaccounted, and nobody is charged (DRK-3). */
  "drinks.correct": {
    params: {
      id?: string | null;
      kind: string;
      to: number;
    };
    result: {
      id?: string;
      stock: number;
      version: number;
    };
  };
  /** Lists what was drunk, bought and corrected, newest first (DRK-1 to DRK-3). */
  "drinks.list": {
    params: {
      before?: string | null;
      limit?: number | null;
    };
    result: {
      items: readonly ({
        act: "drunk" | "bought" | "corrected";
        at: string;
        by: string;
        cost?: number;
        currency?: string;
        kind: string;
        n: number;
        person: string;
      })[];
      next?: string;
    };
  };
  /** Tells what each has drunk, bought and still has to buy in this period, and who buys next (DRK-4, DRK-6). */
  "drinks.overview": {
    params: { [key: string]: never };
    result: {
      next?: string;
      people?: { [key: string]: {
        bought: number;
        drunk: number;
        toBuy: number;
      } };
      period: number;
      since?: string;
      toBuy: number;
    };
  };
  /** Lists the closed periods, newest first (DRK-5). */
  "drinks.periods": {
    params: {
      before?: string | null;
      limit?: number | null;
    };
    result: {
      items: readonly {
        at: string;
        bill?: {
          cost: number;
          currency: string;
          payer: string;
          shares?: { [key: string]: number };
        };
        by: string;
        carryOver?: boolean;
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
        id: string;
        number: number;
        since?: string;
      }[];
      next?: string;
    };
  };
  /** Removes a kind of drink of which nothing is open (DRK-4). */
  "drinks.removeKind": {
    params: {
      kind: string;
    };
    result: {
      version: number;
    };
  };
  /** Takes back an entry of the caller's own, within ten minutes (DRK-7). */
  "drinks.undo": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Puts an event into the calendar; the members whom it concerns are notified (CHO-27). */
  "events.add": {
    params: {
      id?: string | null;
      title: string;
      start: string;
      end?: string | null;
      who?: readonly string[] | null;
      note?: string | null;
      repeats?: {
        basis?: "due" | "completion" | null;
        count?: number | null;
        day?: number | null;
        every: number;
        nth?: number | null;
        unit: "days" | "weeks" | "months" | "years";
        until?: string | null;
        weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
        weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
      } | null;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Lists the days on which events begin that take place in some days: what repeats is counted out (CHO-27). */
  "events.days": {
    params: {
      from: string;
      to: string;
    };
    result: {
      items: readonly {
        days: readonly string[];
        id: string;
      }[];
    };
  };
  /** Changes an event; what is left out stays as it is, and `null` clears `end`, `who`, `note` and `repeats` (CHO-27). */
  "events.edit": {
    params: {
      id: string;
      title?: string | null;
      start?: string | null;
      end?: string | null;
      who?: readonly string[] | null;
      note?: string | null;
      repeats?: {
        basis?: "due" | "completion" | null;
        count?: number | null;
        day?: number | null;
        every: number;
        nth?: number | null;
        unit: "days" | "weeks" | "months" | "years";
        until?: string | null;
        weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
        weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
      } | null;
    };
    result: {
      version: number;
    };
  };
  /** Takes an event out of the calendar; it can be restored for ten minutes (CHO-27). */
  "events.remove": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Restores an event that was removed in the last ten minutes, under a new id (CHO-27). */
  "events.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Puts something on one's own list, which nobody else sees (GRO-1). Puts something on a list of the household, as everybody's or as one's own for all to see (GRO-1, GRO-3, GRO-6). */
  "groceries.add": {
    params: {
      id?: string | null;
      name: string;
      quantity?: number | null;
      unit?: string | null;
      note?: string | null;
      category?: string | null;
      barcode?: string | null;
      personal?: boolean | null;
      list?: string | null;
    };
    result: {
      id: string;
      line?: string;
      version: number;
    };
  };
  /** Says that an item is in the basket, or that it is not after all (GRO-8). Says that an item is in the basket, or that it is not after all (GRO-8). */
  "groceries.check": {
    params: {
      id: string;
      checked: boolean;
    };
    result: {
      version: number;
    };
  };
  /** Changes an item; in a line of several additions, `source` says which of them (GRO-2, GRO-3, GRO-6). Changes an item; in a line of several additions, `source` says which of them (GRO-2, GRO-3, GRO-6). */
  "groceries.edit": {
    params: {
      id: string;
      source?: string | null;
      name?: string | null;
      quantity?: number | null;
      unit?: string | null;
      note?: string | null;
      category?: string | null;
      barcode?: string | null;
      list?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Takes a name out of the suggestions, such as a misspelt one (GRO-4). */
  "groceries.forget": {
    params: {
      name: string;
    };
    result: {
      version: number;
    };
  };
  /** Takes an added category away, unless something on a list has it (GRO-6). Takes an added category away, unless something on a list has it (GRO-6). */
  "groceries.forgetCategory": {
    params: {
      category: string;
    };
    result: {
      version: number;
    };
  };
  /** Hides one's own item from the household; it gets a new id on one's own list (GRO-1). */
  "groceries.hide": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      line?: string;
      version: number;
    };
  };
  /** Takes an item off its list: the additions that `sources` names (GRO-2, GRO-16). Takes an item off its list: the additions that `sources` names (GRO-2, GRO-16). */
  "groceries.remove": {
    params: {
      id: string;
      sources?: readonly string[] | null;
    };
    result: {
      version: number;
    };
  };
  /** Brings back what was removed from a line in the last ten minutes, under new ids (R-DEL). Brings back what was removed from a line in the last ten minutes, under new ids (R-DEL). */
  "groceries.restore": {
    params: {
      id: string;
      sources?: readonly string[] | null;
      newId?: string | null;
    };
    result: {
      id: string;
      line?: string;
      version: number;
    };
  };
  /** Shows an item of one's own list to the household; it gets a new id there (GRO-1). */
  "groceries.show": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      line?: string;
      version: number;
    };
  };
  /** Suggests names that a household has had on its lists and may want again (GRO-4), or the name of a barcode (GRO-6). */
  "groceries.suggest": {
    params: {
      prefix?: string | null;
      barcode?: string | null;
    };
    result: {
      items: readonly {
        category?: string;
        name: string;
      }[];
    };
  };
  /** Begins a connection: who is there, and what the server's limits are (SYN-1). */
  "hello": {
    params: {
      token?: string | null;
      client: string;
      app?: string | null;
    };
    result: {
      heartbeat: number;
      limits: { [key: string]: unknown };
      me?: string;
      now: string;
      openid?: readonly string[];
      page?: {
        mapTiles?: string;
        version: string;
      };
      rooms?: readonly string[];
      session?: string;
    };
  };
  /** Makes a household; the caller becomes its host (HH-1). */
  "households.create": {
    params: {
      id?: string | null;
      name: string;
      timeZone: string;
      currency: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
    };
    result: {
      household: string;
      version: number;
    };
  };
  /** Dismisses a household: nobody has access any longer, and for seven days its host can bring it back (HH-11). */
  "households.dismiss": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Joins a household by a code that one of its members has made (HH-3). */
  "households.join": {
    params: {
      code: string;
    };
    result: {
      household: string;
      version: number;
    };
  };
  /** Brings a dismissed household back with its members; its host may within seven days (HH-11). */
  "households.restore": {
    params: {
      household: string;
    };
    result: {
      household: string;
      version: number;
    };
  };
  /** Changes what a household is called, where it is and who may do what; what is left out stays as it is (HH-18). */
  "households.update": {
    params: {
      name?: string | null;
      timeZone?: string | null;
      currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
      noteLifetime?: number | null;
      dinnerCutoff?: string | null;
      policies?: {
        notes?: "authorOrHost" | "any" | null;
        removal?: "anyMember" | "host" | null;
        rota?: "anyMember" | "host" | null;
        settings?: "anyMember" | "host" | null;
      } | null;
      exclusive?: boolean | null;
      points?: boolean | null;
      simplify?: boolean | null;
    };
    result: {
      version: number;
    };
  };
  /** Keeps a person's reminders out of the caller's sight for 30 days, or no longer; they are not told (REM-3). */
  "inbox.mute": {
    params: {
      person: string;
      muted: boolean;
    };
    result: {
      version: number;
    };
  };
  /** Marks notifications as read, by their ids or all there are (R-NOTIFY). */
  "inbox.read": {
    params: {
      ids?: readonly string[] | null;
      all?: boolean | null;
    };
    result: {
      version: number;
    };
  };
  /** Puts a reminder off: it comes back after some time, at most three times (CHO-17). */
  "inbox.snooze": {
    params: {
      id: string;
      minutes: number;
    };
    result: {
      at: string;
      version: number;
    };
  };
  /** Thanks a member for a chore that they have done, or for their shopping, once for each notification (CHO-19). */
  "inbox.thank": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Accepts an invitation; the household answers, since the first to come is the first to be let in (HH-6, HH-7). */
  "invitations.accept": {
    params: {
      id: string;
    };
    result: {
      household: string;
      version: number;
    };
  };
  /** Declines an invitation; only the inviter is told (HH-6). */
  "invitations.decline": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Takes an invitation back; its author or the host may (HH-7). */
  "invitations.revoke": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Invites a housemate from another household, a contact, or the owner of an e-mail address, known or not (HH-3). */
  "invitations.send": {
    params: {
      household: string;
      id?: string | null;
      email?: string | null;
      person?: string | null;
      guest?: boolean | null;
    };
    result: {
      expiresAt: string;
      id: string;
      version: number;
    };
  };
  /** Makes a code with which others may join; only this answer holds it (HH-3). */
  "joinCodes.create": {
    params: {
      id?: string | null;
      uses?: number | null;
      expiresAt?: string | null;
    };
    result: {
      code: string;
      expiresAt: string;
      id: string;
      uses: number;
      version: number;
    };
  };
  /** Makes a code invalid; its author or the host may (HH-3). */
  "joinCodes.revoke": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Lists the entries of the ledger, newest first (BIL-10, BIL-23). */
  "ledger.list": {
    params: {
      before?: string | null;
      limit?: number | null;
      people?: readonly string[] | null;
    };
    result: {
      items: readonly ({
        at: string;
        by?: string;
        currency: string;
        debts: readonly {
          amount: number;
          from: string;
          to: string;
        }[];
        kind: "bill" | "reversal" | "payment";
        n: number;
        people?: { [key: string]: number };
        ref: string;
      })[];
      next?: string;
    };
  };
  /** Makes another list, such as one for a store (GRO-6). */
  "lists.create": {
    params: {
      id?: string | null;
      name: string;
      store?: string | null;
      order?: readonly string[] | null;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Changes a list; what is left out stays as it is. `order: null` lets it learn again (GRO-6). */
  "lists.edit": {
    params: {
      id?: string | null;
      name?: string | null;
      store?: string | null;
      order?: readonly string[] | null;
    };
    result: {
      version: number;
    };
  };
  /** Takes a list away; its items go to the main list. It can be restored for ten minutes (GRO-6, R-DEL). */
  "lists.remove": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Restores a list that was removed in the last ten minutes, under a new id, with its items (GRO-6, R-DEL). */
  "lists.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Says from which to which day the caller is away, and who stands in for them, until the last day is over (HH-12). */
  "members.away": {
    params: {
      from: string;
      to: string;
      delegate?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Ends the caller's absence, and the stay of their guests, before its last day (HH-12). */
  "members.back": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Leaves a household: the host hands over, and the last one's leaving dismisses it (HH-9). */
  "members.leave": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Makes another member the host in the caller's place (HH-18). */
  "members.makeHost": {
    params: {
      person: string;
    };
    result: {
      version: number;
    };
  };
  /** Removes another member, who is told; the policy `removal` says who may (HH-8). */
  "members.remove": {
    params: {
      person: string;
    };
    result: {
      version: number;
    };
  };
  /** Reminds a member of what they owe the caller (REM-1, REM-3). */
  "money.remind": {
    params: {
      person: string;
      currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
    };
    result: {
      version: number;
    };
  };
  /** Reminds everybody who owes the caller something, each of their own debts (REM-2, REM-3). */
  "money.remindAll": {
    params: { [key: string]: never };
    result: {
      sent?: { [key: string]: { [key: string]: number } };
      skipped?: { [key: string]: "nothingOwed" | "reminded" | "former" };
      version: number;
    };
  };
  /** Pins a note to the board; all other members are notified (NTE-1). */
  "notes.add": {
    params: {
      id?: string | null;
      text: string;
      colour?: "yellow" | "orange" | "red" | "pink" | "purple" | "blue" | "green" | "grey" | "white" | null;
      place?: {
        x: number;
        y: number;
      } | null;
      expiresAt?: string | null;
      lifetime?: number | null;
      keep?: boolean | null;
    };
    result: {
      expiresAt?: string;
      id: string;
      version: number;
    };
  };
  /** Changes a note; what is left out stays as it is, and `expiresAt: null` keeps it for good (NTE-5). */
  "notes.edit": {
    params: {
      id: string;
      text?: string | null;
      colour?: "yellow" | "orange" | "red" | "pink" | "purple" | "blue" | "green" | "grey" | "white" | null;
      place?: {
        x: number;
        y: number;
      } | null;
      expiresAt?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Adds an emoji to a note, or takes it back (NTE-6). */
  "notes.react": {
    params: {
      id: string;
      emoji: string;
      on: boolean;
    };
    result: {
      version: number;
    };
  };
  /** Takes a note down; it can be restored for ten minutes (NTE-4). */
  "notes.remove": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Restores a note that was removed in the last ten minutes, under a new id (NTE-4). */
  "notes.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      expiresAt?: string;
      id: string;
      version: number;
    };
  };
  /** Withdraws the caller's own pending payment; it can be brought back for ten minutes (R-DEL). */
  "payments.cancel": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Confirms that the caller has got a payment: it counts in the books (BIL-5). */
  "payments.confirm": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Makes the links by which a member can be paid, the one that they prefer first (BIL-18, BIL-19). */
  "payments.link": {
    params: {
      to: string;
      amount: number;
      currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
      note?: string | null;
    };
    result: {
      links: readonly ({
        platform: "venmo" | "paypal" | "applePay" | "other";
        url: string;
      })[];
    };
  };
  /** Lists the payments that are no longer pending, those that were closed last first (BIL-9, BIL-10). */
  "payments.list": {
    params: {
      before?: string | null;
      limit?: number | null;
      people?: readonly string[] | null;
    };
    result: {
      items: readonly ({
        id: string;
        payment: {
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
        };
      })[];
      next?: string;
    };
  };
  /** Says that the caller has paid another one; it counts once that one has confirmed it, or after seven days (BIL-5). */
  "payments.propose": {
    params: {
      id?: string | null;
      to: string;
      amount: number;
      currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
      method?: "venmo" | "paypal" | "applePay" | "cash" | "bank" | "other" | null;
      extRef?: string | null;
      bills?: readonly string[] | null;
      overpay?: boolean | null;
    };
    result: {
      id: string;
      left: number;
      until?: string;
      version: number;
    };
  };
  /** Says that the caller has got money from another one: it counts in the books at once, and that one is told (BIL-5). */
  "payments.record": {
    params: {
      id?: string | null;
      from: string;
      amount: number;
      currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
      method?: "venmo" | "paypal" | "applePay" | "cash" | "bank" | "other" | null;
      extRef?: string | null;
      bills?: readonly string[] | null;
      overpay?: boolean | null;
    };
    result: {
      id: string;
      left: number;
      until?: string;
      version: number;
    };
  };
  /** Says that the caller has not got a payment: the payer is told why, and nothing is posted (BIL-5). */
  "payments.reject": {
    params: {
      id: string;
      reason?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Brings a payment back that was cancelled in the last ten minutes, under a new id (R-DEL). */
  "payments.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      left: number;
      until?: string;
      version: number;
    };
  };
  /** Takes back, for ten minutes, that the caller has confirmed or recorded a payment: it is owed again (BIL-5). */
  "payments.undo": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Makes the calling receiver the driver, who means to be there in so many minutes; the first one is (LOC-14). */
  "pickup.accept": {
    params: {
      minutes: number;
    };
    result: {
      version: number;
    };
  };
  /** Says that the sharer no longer needs a ride (LOC-13). */
  "pickup.cancel": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Says that the sharer is with the driver; either of them may (LOC-14). */
  "pickup.collected": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Alerts the receivers that the sharer is ready to be picked up (LOC-13). */
  "pickup.ready": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Says that the driver does not come: the sharer needs one again, and everybody is notified (LOC-14). */
  "pickup.release": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Changes when the driver means to be there; the sharer is notified (LOC-14). */
  "pickup.update": {
    params: {
      minutes: number;
    };
    result: {
      version: number;
    };
  };
  /** Tells where the caller is, in every share of his that is running (LOC-5, LOC-6). */
  "positions.report": {
    params: {
      sentAt: string;
      fixes?: readonly ({
        accuracy?: number;
        battery?: number | null;
        fixTime: string;
        lat: number;
        lon: number;
      })[] | null;
    };
    result: {
      alreadyInside?: readonly string[];
      intervalSeconds: number;
      refused?: readonly {
        index: number;
        reason: string;
      }[];
      shares: number;
    };
  };
  /** Changes the caller's profile, which all their households show at once; what is left out stays as it is (ACC-8). */
  "profile.update": {
    params: {
      name?: string | null;
      birthday?: string | null;
      handles?: {
        applePay?: string | null;
        other?: string | null;
        paypal?: string | null;
        venmo?: string | null;
      } | null;
      preferred?: "venmo" | "paypal" | "applePay" | "other" | null;
      sharesHandles?: boolean | null;
    };
    result: {
      version: number;
    };
  };
  /** Adds a bill that comes again: it is posted by itself for each due day, some days before (BIL-14). */
  "recurringBills.add": {
    params: {
      id?: string | null;
      bill: {
        amount?: number | null;
        category?: string | null;
        currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
        first?: string | null;
        host?: string | null;
        lead?: number | null;
        note?: string | null;
        repeat?: {
          basis?: "due" | "completion" | null;
          count?: number | null;
          day?: number | null;
          every: number;
          nth?: number | null;
          unit: "days" | "weeks" | "months" | "years";
          until?: string | null;
          weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
          weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
        } | null;
        split?: {
          items?: readonly ({
            amount: number;
            kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
            name?: string | null;
            parts?: { [key: string]: number };
            people?: readonly string[] | null;
          })[] | null;
          kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
          parts?: { [key: string]: number };
          people?: readonly string[] | null;
        } | null;
        title?: string | null;
      };
    };
    result: {
      id: string;
      next?: string;
      nextAt?: string;
      version: number;
    };
  };
  /** Cancels a recurring bill: nothing follows on what is posted; for ten minutes it can be brought back (BIL-14). */
  "recurringBills.cancel": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Changes a recurring bill from the next posting on; what is left out stays, and a paused one goes on (BIL-14). */
  "recurringBills.edit": {
    params: {
      id: string;
      bill: {
        amount?: number | null;
        category?: string | null;
        currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
        first?: string | null;
        host?: string | null;
        lead?: number | null;
        note?: string | null;
        repeat?: {
          basis?: "due" | "completion" | null;
          count?: number | null;
          day?: number | null;
          every: number;
          nth?: number | null;
          unit: "days" | "weeks" | "months" | "years";
          until?: string | null;
          weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
          weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
        } | null;
        split?: {
          items?: readonly ({
            amount: number;
            kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
            name?: string | null;
            parts?: { [key: string]: number };
            people?: readonly string[] | null;
          })[] | null;
          kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
          parts?: { [key: string]: number };
          people?: readonly string[] | null;
        } | null;
        title?: string | null;
      };
    };
    result: {
      id: string;
      next?: string;
      nextAt?: string;
      version: number;
    };
  };
  /** Says that the caller has paid a posted bill, such as the rent to the landlord; the others are told (BIL-15). */
  "recurringBills.paid": {
    params: {
      id: string;
      date?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Brings a recurring bill back that was cancelled in the last ten minutes, under a new id (R-DEL). */
  "recurringBills.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      next?: string;
      nextAt?: string;
      version: number;
    };
  };
  /** Accepts the caller's part of a request: from now on they owe it to its author (BIL-17). */
  "requests.accept": {
    params: {
      id: string;
    };
    result: {
      id: string;
      shares?: { [key: string]: number };
      version: number;
    };
  };
  /** Cancels the caller's request; what was accepted stays, and for ten minutes it can be brought back (BIL-17, R-DEL). */
  "requests.cancel": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Asks members for money: the same amount each, or a part each (BIL-17). */
  "requests.create": {
    params: {
      id?: string | null;
      title: string;
      amount?: number | null;
      from?: readonly string[] | null;
      parts?: { [key: string]: number };
      currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
      platform?: "venmo" | "paypal" | "applePay" | "other" | null;
      note?: string | null;
    };
    result: {
      id: string;
      until: string;
      version: number;
    };
  };
  /** Declines the caller's part of a request: its author is told (BIL-17). */
  "requests.decline": {
    params: {
      id: string;
      reason?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Lists the requests for money that are over, those that were over last first (BIL-17). */
  "requests.list": {
    params: {
      before?: string | null;
      limit?: number | null;
      people?: readonly string[] | null;
    };
    result: {
      items: readonly ({
        id: string;
        request: {
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
        };
      })[];
      next?: string;
    };
  };
  /** Brings a request back that was cancelled in the last ten minutes, under a new id (R-DEL). */
  "requests.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      until: string;
      version: number;
    };
  };
  /** Puts a reward and its price in points into the catalogue (STA-6). */
  "rewards.add": {
    params: {
      id?: string | null;
      name: string;
      cost: number;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Changes a reward; what is left out stays as it is, and what was redeemed keeps its price (STA-6). */
  "rewards.edit": {
    params: {
      id: string;
      name?: string | null;
      cost?: number | null;
    };
    result: {
      version: number;
    };
  };
  /** Lists the rewards that members have redeemed, newest first (STA-6). */
  "rewards.history": {
    params: {
      before?: string | null;
      limit?: number | null;
      person?: string | null;
    };
    result: {
      items: readonly {
        at: string;
        by: string;
        name: string;
        points: number;
        reward: string;
      }[];
      next?: string;
    };
  };
  /** Spends the caller's points on a reward; all other members are notified (STA-6). */
  "rewards.redeem": {
    params: {
      id?: string | null;
      reward: string;
      cost?: number | null;
    };
    result: {
      id: string;
      left: number;
      version: number;
    };
  };
  /** Takes a reward out of the catalogue; it can be restored for ten minutes (STA-6). */
  "rewards.remove": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Restores a reward that was removed in the last ten minutes, under a new id (STA-6). */
  "rewards.restore": {
    params: {
      id: string;
      newId?: string | null;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Takes back a redemption within ten minutes: the points are there again (STA-6). */
  "rewards.undo": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Watches a room: the whole state or what was missed, then every change (SYN-1, SYN-2). */
  "room.subscribe": {
    params: {
      epoch?: string | null;
      version?: number | null;
    };
    result: {
      epoch: string;
      from?: number;
      live: { [key: string]: unknown };
      patch?: { [key: string]: unknown };
      reason?: "new" | "tooOld" | "epoch" | "ahead";
      room: string;
      seq: number;
      state?: { [key: string]: unknown };
      version: number;
    };
  };
  /** Ends the subscription to a room. */
  "room.unsubscribe": {
    params: { [key: string]: never };
    result: { [key: string]: unknown };
  };
  /** Takes on a task of this week whose resident is away or has left; the first one has it (ROT-5, HH-12). */
  "rota.claim": {
    params: {
      task: string;
      week: string;
    };
    result: {
      version: number;
    };
  };
  /** Lists the tasks of the rota that were done, newest first (ROT-6). */
  "rota.list": {
    params: {
      before?: string | null;
      limit?: number | null;
    };
    result: {
      items: readonly {
        at: string;
        by: string;
        name: string;
        task: string;
        week: string;
      }[];
      next?: string;
    };
  };
  /** Gives back a task that the caller has claimed: it is open again (ROT-5). */
  "rota.release": {
    params: {
      task: string;
      week: string;
    };
    result: {
      version: number;
    };
  };
  /** Sets the rota's tasks, residents and restart from next Monday on; what is left out stays as it is (ROT-5). */
  "rota.set": {
    params: {
      tasks?: readonly ({
        id?: string | null;
        name: string;
      })[] | null;
      residents?: readonly string[] | null;
      restart?: "year" | "never" | null;
      startWeek?: string | null;
    };
    result: {
      fromWeek: string;
      id: string;
      tasks: readonly string[];
      version: number;
    };
  };
  /** Marks a task of this week or the last one as done, or as not done after all (ROT-6). */
  "rota.tick": {
    params: {
      task: string;
      week: string;
      done: boolean;
      person?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Shows who does which task in some weeks, from the last one on unless the call says otherwise (ROT-4). */
  "rota.weeks": {
    params: {
      from?: string | null;
      count?: number | null;
    };
    result: {
      items: readonly {
        turns: readonly {
          doneAt?: string;
          doneBy?: string;
          name: string;
          open?: boolean;
          person?: string;
          resident?: string;
          task: string;
        }[];
        week: string;
      }[];
    };
  };
  /** Answers this document (NFR-3). */
  "rpc.discover": {
    params: { [key: string]: never };
    result: {
      info: { [key: string]: unknown };
      methods: readonly unknown[];
      openrpc: string;
    };
  };
  /** Changes what a person has chosen for all their devices; what is left out stays as it is (ACC-11, ACC-12, REM-4). */
  "settings.edit": {
    params: {
      muted?: { [key: string]: boolean };
      presence?: "shown" | "hidden" | null;
      timeZone?: string | null;
      hour?: string | null;
      quietFrom?: string | null;
      quietTo?: string | null;
      boardColour?: "yellow" | "orange" | "red" | "pink" | "purple" | "blue" | "green" | "grey" | "white" | null;
      seen?: { [key: string]: boolean };
      client?: string | null;
    };
    result: {
      version: number;
    };
  };
  /** Answers the sharer's wish to stop, for the caller only: a receiver who confirms is out (LOC-11). */
  "shares.answerStop": {
    params: {
      confirm: boolean;
    };
    result: {
      version: number;
    };
  };
  /** Asks a housemate or contact to share their position; they start a share, or do not (LOC-30). */
  "shares.ask": {
    params: {
      person: string;
    };
    result: {
      version: number;
    };
  };
  /** Puts another person's request for the caller's position aside; they are not told (LOC-30). */
  "shares.declineAsk": {
    params: {
      person: string;
    };
    result: {
      version: number;
    };
  };
  /** Measures how far a point is from a sharer's last position; nothing of it is kept (LOC-18). */
  "shares.distance": {
    params: {
      lat: number;
      lon: number;
    };
    result: {
      at: string;
      metres: number;
    };
  };
  /** Ends a share of the caller's whose phone is lost, from another device, after a confirmation (LOC-11). */
  "shares.end": {
    params: {
      share: string;
    };
    result: {
      version: number;
    };
  };
  /** Lets a share run until a later time; only the sharer may (LOC-2). */
  "shares.extend": {
    params: {
      until: string;
    };
    result: {
      version: number;
    };
  };
  /** Takes the calling receiver out of a share; the last one ends it (LOC-9, LOC-10). */
  "shares.leave": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Says that the caller has looked at a share, for the sharer to know who sees them (LOC-21). */
  "shares.see": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Shares one's position with housemates and contacts, for a time or until a place (LOC-1, LOC-2). */
  "shares.start": {
    params: {
      id?: string | null;
      receivers: readonly string[];
      until?: string | null;
      place?: {
        label: string;
        lat: number;
        lon: number;
        r?: number | null;
      } | null;
      ride?: boolean | null;
      position?: {
        accuracy?: number;
        lat: number;
        lon: number;
      } | null;
      note?: string | null;
      stop?: "consent" | "notify" | null;
      silence?: "keeps" | "confirms" | null;
      trail?: boolean | null;
    };
    result: {
      alreadyInside?: boolean;
      id: string;
      version: number;
    };
  };
  /** Asks the receivers to let the sharer stop; each of them confirms or denies for themselves (LOC-11). */
  "shares.stop": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Makes the calling device the one that reports the caller's position (LOC-35). */
  "shares.takeOver": {
    params: { [key: string]: never };
    result: {
      version: number;
    };
  };
  /** Says when the caller cannot come to a special event, in place of what they have said before (CHO-22). */
  "specialEvents.busy": {
    params: {
      id: string;
      intervals: readonly {
        from: string;
        to: string;
      }[];
    };
    result: {
      version: number;
    };
  };
  /** Cancels a special event before its time was found; its author and the host may (CHO-22, HH-15). */
  "specialEvents.cancel": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Chooses the time of a special event, which goes into the calendar; its author and the host may (CHO-22, HH-15). */
  "specialEvents.confirm": {
    params: {
      id: string;
      start: string;
      event?: string | null;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Announces an event whose time is to be found; those whom it concerns are asked when they cannot come (CHO-22). */
  "specialEvents.create": {
    params: {
      id?: string | null;
      title: string;
      description?: string | null;
      minutes?: { [key: string]: number };
      window: {
        from: string;
        to: string;
      };
      hours?: {
        from: string;
        to: string;
      } | null;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Finds the times of a special event at which most can come, the first of them first (CHO-22). */
  "specialEvents.slots": {
    params: {
      id: string;
      limit?: number | null;
    };
    result: {
      items: readonly {
        end: string;
        people: readonly string[];
        start: string;
      }[];
    };
  };
  /** Watches a supply no longer (CHO-25). */
  "stock.remove": {
    params: {
      name: string;
    };
    result: {
      version: number;
    };
  };
  /** Says how much there is of a supply; what is out goes on the household's list, once (CHO-25). */
  "stock.set": {
    params: {
      name: string;
      level: "in" | "low" | "out";
    };
    result: {
      grocery?: string;
      version: number;
    };
  };
  /** Takes what was bought off the lists, and divides what it cost; all is one change (GRO-9, R-CHECKOUT). */
  "trips.complete": {
    params: {
      id?: string | null;
      trip?: string | null;
      lines: readonly ({
        id: string;
        price?: number | null;
        sources?: readonly string[] | null;
      })[];
      total?: number | null;
      currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAD" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" | null;
      paid?: { [key: string]: number };
      split?: {
        items?: readonly ({
          amount: number;
          kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
          name?: string | null;
          parts?: { [key: string]: number };
          people?: readonly string[] | null;
        })[] | null;
        kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
        parts?: { [key: string]: number };
        people?: readonly string[] | null;
      } | null;
      note?: string | null;
    };
    result: {
      bill?: string;
      id: string;
      shares?: { [key: string]: number };
      skipped?: { [key: string]: {
        by?: string;
        reason: "alreadyBought" | "gone";
      } };
      version: number;
    };
  };
  /** Ends a trip of the caller's without a purchase; the others are told while they think that it takes place (GRO-12). */
  "trips.discard": {
    params: {
      id: string;
    };
    result: {
      version: number;
    };
  };
  /** Changes a purchase: what was bought, and what it cost; what is left out stays as it is (GRO-13). */
  "trips.edit": {
    params: {
      id: string;
      lines?: readonly ({
        category?: string | null;
        id?: string | null;
        name: string;
        owner?: string | null;
        price?: number | null;
        quantity?: number | null;
        unit?: string | null;
      })[] | null;
      total?: number | null;
      paid?: { [key: string]: number };
      split?: {
        items?: readonly ({
          amount: number;
          kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
          name?: string | null;
          parts?: { [key: string]: number };
          people?: readonly string[] | null;
        })[] | null;
        kind?: "equal" | "shares" | "percent" | "exact" | "adjustment" | "itemised" | null;
        parts?: { [key: string]: number };
        people?: readonly string[] | null;
      } | null;
      note?: string | null;
    };
    result: {
      bill?: string;
      id: string;
      shares?: { [key: string]: number };
      skipped?: { [key: string]: {
        by?: string;
        reason: "alreadyBought" | "gone";
      } };
      version: number;
    };
  };
  /** Lists the purchases, newest first (GRO-14). */
  "trips.history": {
    params: {
      before?: string | null;
      limit?: number | null;
      person?: string | null;
    };
    result: {
      items: readonly {
        at: string;
        bill?: string;
        by: string;
        currency: string;
        editedAt?: string;
        editedBy?: string;
        edits?: number;
        id: string;
        lines: readonly {
          category?: string;
          id?: string;
          name: string;
          owner?: string;
          price?: number;
          quantity?: number;
          unit?: string;
        }[];
        list?: string;
        note?: string;
        sharers: readonly string[];
        shares?: { [key: string]: number };
        total?: number;
      }[];
      next?: string;
    };
  };
  /** Says that the caller goes shopping, so that the others can change the lists in time (GRO-7). */
  "trips.start": {
    params: {
      id?: string | null;
      list?: string | null;
    };
    result: {
      id: string;
      version: number;
    };
  };
  /** Lists what a purchase was after each of its changes, and who made them, newest first (GRO-13). */
  "trips.versions": {
    params: {
      before?: string | null;
      limit?: number | null;
      id: string;
    };
    result: {
      items: readonly {
        at: string;
        by?: string;
        edits: number;
        purchase: {
          at: string;
          bill?: string;
          by: string;
          currency: string;
          editedAt?: string;
          editedBy?: string;
          edits?: number;
          id: string;
          lines: readonly {
            category?: string;
            id?: string;
            name: string;
            owner?: string;
            price?: number;
            quantity?: number;
            unit?: string;
          }[];
          list?: string;
          note?: string;
          sharers: readonly string[];
          shares?: { [key: string]: number };
          total?: number;
        };
      }[];
      next?: string;
    };
  };
}

export type Params<M extends keyof Methods> = Methods[M]["params"];

/** What the server says by itself. */
export interface Notifications {
  /** The client is in a room no longer, or is no longer subscribed to it. */
  "room.closed": {
    room: string;
    reason: string;
  };
  /** The live document of a room has changed: a JSON merge patch (RFC 7396). */
  "room.live": {
    room: string;
    at: string;
    patch: { [key: string]: unknown };
  };
  /** The state of a room has changed: a JSON merge patch (RFC 7396). */
  "room.patch": {
    room: string;
    from: number;
    version: number;
    at: string;
    by?: string;
    patch: { [key: string]: unknown };
  };
  /** The versions of rooms, at least once a heartbeat, and the age of their live values. */
  "room.tick": {
    at: string;
    rooms: { [key: string]: number };
    live?: { [key: string]: unknown };
  };
  /** The server stops: reconnect after so many milliseconds. */
  "server.leaving": {
    reconnectAfter: number;
  };
  /** The session has ended; the connection closes. */
  "session.ended": {
    reason: string;
  };
}

export type Notification = {
  [M in keyof Notifications]: { method: M; params: Notifications[M] };
}[keyof Notifications];
