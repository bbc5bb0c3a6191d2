// The rows of the documents' tables, each under one name.

import type { HouseholdState, MeState, ShareLive, ShareState } from "../hearth/types/documents.d.ts";
import type { Methods } from "../hearth/types/methods.d.ts";

type Row<D, K extends keyof D> = NonNullable<D[K]> extends { [key: string]: infer R } ? R : never;

type Groceries = Row<HouseholdState, "groceries">;

export type Activity = Row<HouseholdState, "activity">;
export type Chore = Row<HouseholdState, "chores">;
export type ChoreRecord = Methods["chores.history"]["result"]["items"][number];
/** A chore that is to be done: one date of it. */
export type Occurrence = Row<HouseholdState, "occurrences">;
/** A line of a shopping list. Somebody has added it, so that it has sources. */
export type Line = Groceries & { sources: NonNullable<Groceries["sources"]> };
export type GroceryList = Row<HouseholdState, "lists">;
export type Trip = Row<HouseholdState, "trips">;
export type Purchase = Methods["trips.history"]["result"]["items"][number];
export type PurchaseVersion = Methods["trips.versions"]["result"]["items"][number];
export type Drink = Row<HouseholdState, "drinks">;
export type DrinkEntry = Row<HouseholdState, "drinkEntries">;
export type Pattern = NonNullable<Row<HouseholdState, "dinnerPatterns">["days"]>;
export type CalendarEvent = Row<HouseholdState, "events">;
export type SpecialEvent = Row<HouseholdState, "specialEvents">;
/** How something comes again. */
export type Repeat = NonNullable<CalendarEvent["repeats"]>;
export type Bill = Row<HouseholdState, "bills">;
/** A bill that comes again. */
export type RecurringBill = Row<HouseholdState, "recurringBills">;
/** What somebody asks others for. */
export type MoneyRequest = Row<HouseholdState, "requests">;
/** What one person owes another one. */
export type OpenDebt = Row<HouseholdState, "debts">;
export type Stock = Row<HouseholdState, "stock">;
export type House = NonNullable<HouseholdState["household"]>;
/** A code or an invitation that is open. */
export type Code = Row<HouseholdState, "invitations"> & Partial<Row<HouseholdState, "joinCodes">>;
export type Member = Row<HouseholdState, "members">;
export type Message = Row<HouseholdState, "chat">;
export type Note = Row<HouseholdState, "notes">;

export type RotaVersion = Row<HouseholdState, "rota">;

export type Currency = Methods["households.create"]["params"]["currency"];

export type Ask = Row<MeState, "asks">;
export type Payment = Row<HouseholdState, "payments">;
export type Profile = NonNullable<MeState["profile"]>;
export type Notification = Row<MeState, "inbox">;
/** A share in the list of `me`. */
export type Listed = Row<MeState, "shares"> & { id: string };

export type Position = NonNullable<ShareLive["position"]>;
export type Ride = NonNullable<ShareState["pickup"]>;
/** One that has ended has no end to come; screens do not show it. */
export type Share = NonNullable<ShareState["share"]> & { until: string };
