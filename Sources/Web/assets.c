// Written by script/web-assets.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "web.h"

static const unsigned char file_0[] = {
#embed "app/app.css"
};
static const unsigned char file_1[] = {
#embed "app/app.js"
};
static const unsigned char file_2[] = {
#embed "app/hearth.d.ts"
};
static const unsigned char file_3[] = {
#embed "app/hearth.js"
};
static const unsigned char file_4[] = {
#embed "app/hearth/backoff.js"
};
static const unsigned char file_5[] = {
#embed "app/hearth/browser.js"
};
static const unsigned char file_6[] = {
#embed "app/hearth/core.js"
};
static const unsigned char file_7[] = {
#embed "app/hearth/hearth.js"
};
static const unsigned char file_8[] = {
#embed "app/hearth/merge.js"
};
static const unsigned char file_9[] = {
#embed "app/hearth/puzzle.js"
};
static const unsigned char file_10[] = {
#embed "app/hearth/queue.js"
};
static const unsigned char file_11[] = {
#embed "app/hearth/refusal.js"
};
static const unsigned char file_12[] = {
#embed "app/hearth/room.js"
};
static const unsigned char file_13[] = {
#embed "app/hearth/rooms.js"
};
static const unsigned char file_14[] = {
#embed "app/hearth/socket.js"
};
static const unsigned char file_15[] = {
#embed "app/hearth/store.js"
};
static const unsigned char file_16[] = {
#embed "app/hearth/tabs.js"
};
static const unsigned char file_17[] = {
#embed "app/hearth/types/documents.d.ts"
};
static const unsigned char file_18[] = {
#embed "app/hearth/types/library.d.ts"
};
static const unsigned char file_19[] = {
#embed "app/hearth/types/methods.d.ts"
};
static const unsigned char file_20[] = {
#embed "app/icon.svg"
};
static const unsigned char file_21[] = {
#embed "app/index.html"
};
static const unsigned char file_22[] = {
#embed "app/insecure.css"
};
static const unsigned char file_23[] = {
#embed "app/insecure.html"
};
static const unsigned char file_24[] = {
#embed "app/manifest.webmanifest"
};
static const unsigned char file_25[] = {
#embed "app/parts/acquaintances.js"
};
static const unsigned char file_26[] = {
#embed "app/parts/activity.js"
};
static const unsigned char file_27[] = {
#embed "app/parts/agenda.js"
};
static const unsigned char file_28[] = {
#embed "app/parts/ages.js"
};
static const unsigned char file_29[] = {
#embed "app/parts/alive.js"
};
static const unsigned char file_30[] = {
#embed "app/parts/avatar.js"
};
static const unsigned char file_31[] = {
#embed "app/parts/awake.js"
};
static const unsigned char file_32[] = {
#embed "app/parts/bill_fields.js"
};
static const unsigned char file_33[] = {
#embed "app/parts/bills.js"
};
static const unsigned char file_34[] = {
#embed "app/parts/bin.js"
};
static const unsigned char file_35[] = {
#embed "app/parts/calendar.js"
};
static const unsigned char file_36[] = {
#embed "app/parts/checkout.js"
};
static const unsigned char file_37[] = {
#embed "app/parts/child.d.ts"
};
static const unsigned char file_38[] = {
#embed "app/parts/chores.js"
};
static const unsigned char file_39[] = {
#embed "app/parts/confirm.js"
};
static const unsigned char file_40[] = {
#embed "app/parts/connection.js"
};
static const unsigned char file_41[] = {
#embed "app/parts/csv.js"
};
static const unsigned char file_42[] = {
#embed "app/parts/dates.js"
};
static const unsigned char file_43[] = {
#embed "app/parts/dinner.js"
};
static const unsigned char file_44[] = {
#embed "app/parts/drinks.js"
};
static const unsigned char file_45[] = {
#embed "app/parts/due_money.js"
};
static const unsigned char file_46[] = {
#embed "app/parts/family.js"
};
static const unsigned char file_47[] = {
#embed "app/parts/focus.js"
};
static const unsigned char file_48[] = {
#embed "app/parts/follow.js"
};
static const unsigned char file_49[] = {
#embed "app/parts/geo.js"
};
static const unsigned char file_50[] = {
#embed "app/parts/groceries.js"
};
static const unsigned char file_51[] = {
#embed "app/parts/heading.js"
};
static const unsigned char file_52[] = {
#embed "app/parts/here.js"
};
static const unsigned char file_53[] = {
#embed "app/parts/hidden.js"
};
static const unsigned char file_54[] = {
#embed "app/parts/household.js"
};
static const unsigned char file_55[] = {
#embed "app/parts/icons.js"
};
static const unsigned char file_56[] = {
#embed "app/parts/ids.js"
};
static const unsigned char file_57[] = {
#embed "app/parts/install.js"
};
static const unsigned char file_58[] = {
#embed "app/parts/keep.js"
};
static const unsigned char file_59[] = {
#embed "app/parts/keys.js"
};
static const unsigned char file_60[] = {
#embed "app/parts/likely_currency.js"
};
static const unsigned char file_61[] = {
#embed "app/parts/look.js"
};
static const unsigned char file_62[] = {
#embed "app/parts/map.js"
};
static const unsigned char file_63[] = {
#embed "app/parts/money.js"
};
static const unsigned char file_64[] = {
#embed "app/parts/names.js"
};
static const unsigned char file_65[] = {
#embed "app/parts/note_colours.js"
};
static const unsigned char file_66[] = {
#embed "app/parts/openid.js"
};
static const unsigned char file_67[] = {
#embed "app/parts/pages.js"
};
static const unsigned char file_68[] = {
#embed "app/parts/paging.js"
};
static const unsigned char file_69[] = {
#embed "app/parts/payments.js"
};
static const unsigned char file_70[] = {
#embed "app/parts/pull.js"
};
static const unsigned char file_71[] = {
#embed "app/parts/qr.js"
};
static const unsigned char file_72[] = {
#embed "app/parts/quantity.js"
};
static const unsigned char file_73[] = {
#embed "app/parts/records.d.ts"
};
static const unsigned char file_74[] = {
#embed "app/parts/recurrence.js"
};
static const unsigned char file_75[] = {
#embed "app/parts/recurring.js"
};
static const unsigned char file_76[] = {
#embed "app/parts/refusals.js"
};
static const unsigned char file_77[] = {
#embed "app/parts/repeat.js"
};
static const unsigned char file_78[] = {
#embed "app/parts/reporter.js"
};
static const unsigned char file_79[] = {
#embed "app/parts/requests.js"
};
static const unsigned char file_80[] = {
#embed "app/parts/rota.js"
};
static const unsigned char file_81[] = {
#embed "app/parts/rota_marks.js"
};
static const unsigned char file_82[] = {
#embed "app/parts/router.js"
};
static const unsigned char file_83[] = {
#embed "app/parts/screen.js"
};
static const unsigned char file_84[] = {
#embed "app/parts/select.js"
};
static const unsigned char file_85[] = {
#embed "app/parts/settings.js"
};
static const unsigned char file_86[] = {
#embed "app/parts/share_map.js"
};
static const unsigned char file_87[] = {
#embed "app/parts/shares.js"
};
static const unsigned char file_88[] = {
#embed "app/parts/sheet.js"
};
static const unsigned char file_89[] = {
#embed "app/parts/shopping.js"
};
static const unsigned char file_90[] = {
#embed "app/parts/signal.js"
};
static const unsigned char file_91[] = {
#embed "app/parts/snackbar.js"
};
static const unsigned char file_92[] = {
#embed "app/parts/split.js"
};
static const unsigned char file_93[] = {
#embed "app/parts/swipe.js"
};
static const unsigned char file_94[] = {
#embed "app/parts/tour.js"
};
static const unsigned char file_95[] = {
#embed "app/parts/trips.js"
};
static const unsigned char file_96[] = {
#embed "app/parts/update.js"
};
static const unsigned char file_97[] = {
#embed "app/parts/way.js"
};
static const unsigned char file_98[] = {
#embed "app/parts/when.js"
};
static const unsigned char file_99[] = {
#embed "app/parts/words.js"
};
static const unsigned char file_100[] = {
#embed "app/screens/activity.js"
};
static const unsigned char file_101[] = {
#embed "app/screens/away.js"
};
static const unsigned char file_102[] = {
#embed "app/screens/bill.js"
};
static const unsigned char file_103[] = {
#embed "app/screens/bill_form.js"
};
static const unsigned char file_104[] = {
#embed "app/screens/bill_pages.js"
};
static const unsigned char file_105[] = {
#embed "app/screens/calendar.js"
};
static const unsigned char file_106[] = {
#embed "app/screens/calendar_sheets.js"
};
static const unsigned char file_107[] = {
#embed "app/screens/changes.js"
};
static const unsigned char file_108[] = {
#embed "app/screens/chat.js"
};
static const unsigned char file_109[] = {
#embed "app/screens/checkout.js"
};
static const unsigned char file_110[] = {
#embed "app/screens/chore.js"
};
static const unsigned char file_111[] = {
#embed "app/screens/chore_form.js"
};
static const unsigned char file_112[] = {
#embed "app/screens/chore_history.js"
};
static const unsigned char file_113[] = {
#embed "app/screens/chore_later.js"
};
static const unsigned char file_114[] = {
#embed "app/screens/chore_statistics.js"
};
static const unsigned char file_115[] = {
#embed "app/screens/chores.css"
};
static const unsigned char file_116[] = {
#embed "app/screens/chores.js"
};
static const unsigned char file_117[] = {
#embed "app/screens/contacts.js"
};
static const unsigned char file_118[] = {
#embed "app/screens/delete_account.js"
};
static const unsigned char file_119[] = {
#embed "app/screens/dinner.css"
};
static const unsigned char file_120[] = {
#embed "app/screens/dinner.js"
};
static const unsigned char file_121[] = {
#embed "app/screens/drinks.js"
};
static const unsigned char file_122[] = {
#embed "app/screens/drinks_sheets.js"
};
static const unsigned char file_123[] = {
#embed "app/screens/entry.js"
};
static const unsigned char file_124[] = {
#embed "app/screens/home.js"
};
static const unsigned char file_125[] = {
#embed "app/screens/household.js"
};
static const unsigned char file_126[] = {
#embed "app/screens/household_settings.js"
};
static const unsigned char file_127[] = {
#embed "app/screens/inbox.js"
};
static const unsigned char file_128[] = {
#embed "app/screens/item.js"
};
static const unsigned char file_129[] = {
#embed "app/screens/look.js"
};
static const unsigned char file_130[] = {
#embed "app/screens/me.js"
};
static const unsigned char file_131[] = {
#embed "app/screens/messages.css"
};
static const unsigned char file_132[] = {
#embed "app/screens/money.css"
};
static const unsigned char file_133[] = {
#embed "app/screens/money.js"
};
static const unsigned char file_134[] = {
#embed "app/screens/money_with.js"
};
static const unsigned char file_135[] = {
#embed "app/screens/my_share.js"
};
static const unsigned char file_136[] = {
#embed "app/screens/note.js"
};
static const unsigned char file_137[] = {
#embed "app/screens/notifications.js"
};
static const unsigned char file_138[] = {
#embed "app/screens/out.css"
};
static const unsigned char file_139[] = {
#embed "app/screens/out.js"
};
static const unsigned char file_140[] = {
#embed "app/screens/out_map.js"
};
static const unsigned char file_141[] = {
#embed "app/screens/people.css"
};
static const unsigned char file_142[] = {
#embed "app/screens/pocket.js"
};
static const unsigned char file_143[] = {
#embed "app/screens/profile.js"
};
static const unsigned char file_144[] = {
#embed "app/screens/purchase.js"
};
static const unsigned char file_145[] = {
#embed "app/screens/purchases.js"
};
static const unsigned char file_146[] = {
#embed "app/screens/recurring.js"
};
static const unsigned char file_147[] = {
#embed "app/screens/recurring_form.js"
};
static const unsigned char file_148[] = {
#embed "app/screens/requests.js"
};
static const unsigned char file_149[] = {
#embed "app/screens/rota.js"
};
static const unsigned char file_150[] = {
#embed "app/screens/security.js"
};
static const unsigned char file_151[] = {
#embed "app/screens/share.js"
};
static const unsigned char file_152[] = {
#embed "app/screens/share_new.js"
};
static const unsigned char file_153[] = {
#embed "app/screens/shop.js"
};
static const unsigned char file_154[] = {
#embed "app/screens/shopping.css"
};
static const unsigned char file_155[] = {
#embed "app/screens/shopping.js"
};
static const unsigned char file_156[] = {
#embed "app/screens/shopping_acts.js"
};
static const unsigned char file_157[] = {
#embed "app/screens/shopping_lists.js"
};
static const unsigned char file_158[] = {
#embed "app/screens/shopping_select.js"
};
static const unsigned char file_159[] = {
#embed "app/screens/special.js"
};
static const unsigned char file_160[] = {
#embed "app/screens/spending.js"
};
static const unsigned char file_161[] = {
#embed "app/screens/start.js"
};
static const unsigned char file_162[] = {
#embed "app/screens/stock.js"
};
static const unsigned char file_163[] = {
#embed "app/screens/watching.js"
};
static const unsigned char file_164[] = {
#embed "app/screens/welcome.js"
};
static const unsigned char file_165[] = {
#embed "app/strings/calendar.de.js"
};
static const unsigned char file_166[] = {
#embed "app/strings/calendar.en.js"
};
static const unsigned char file_167[] = {
#embed "app/strings/chore.de.js"
};
static const unsigned char file_168[] = {
#embed "app/strings/chore.en.js"
};
static const unsigned char file_169[] = {
#embed "app/strings/chores.de.js"
};
static const unsigned char file_170[] = {
#embed "app/strings/chores.en.js"
};
static const unsigned char file_171[] = {
#embed "app/strings/de.js"
};
static const unsigned char file_172[] = {
#embed "app/strings/dinner.de.js"
};
static const unsigned char file_173[] = {
#embed "app/strings/dinner.en.js"
};
static const unsigned char file_174[] = {
#embed "app/strings/drinks.de.js"
};
static const unsigned char file_175[] = {
#embed "app/strings/drinks.en.js"
};
static const unsigned char file_176[] = {
#embed "app/strings/en.js"
};
static const unsigned char file_177[] = {
#embed "app/strings/home.de.js"
};
static const unsigned char file_178[] = {
#embed "app/strings/home.en.js"
};
static const unsigned char file_179[] = {
#embed "app/strings/inbox.de.js"
};
static const unsigned char file_180[] = {
#embed "app/strings/inbox.en.js"
};
static const unsigned char file_181[] = {
#embed "app/strings/me.de.js"
};
static const unsigned char file_182[] = {
#embed "app/strings/me.en.js"
};
static const unsigned char file_183[] = {
#embed "app/strings/money.de.js"
};
static const unsigned char file_184[] = {
#embed "app/strings/money.en.js"
};
static const unsigned char file_185[] = {
#embed "app/strings/out.de.js"
};
static const unsigned char file_186[] = {
#embed "app/strings/out.en.js"
};
static const unsigned char file_187[] = {
#embed "app/strings/payments.de.js"
};
static const unsigned char file_188[] = {
#embed "app/strings/payments.en.js"
};
static const unsigned char file_189[] = {
#embed "app/strings/people.de.js"
};
static const unsigned char file_190[] = {
#embed "app/strings/people.en.js"
};
static const unsigned char file_191[] = {
#embed "app/strings/recurring.de.js"
};
static const unsigned char file_192[] = {
#embed "app/strings/recurring.en.js"
};
static const unsigned char file_193[] = {
#embed "app/strings/repeat.de.js"
};
static const unsigned char file_194[] = {
#embed "app/strings/repeat.en.js"
};
static const unsigned char file_195[] = {
#embed "app/strings/requests.de.js"
};
static const unsigned char file_196[] = {
#embed "app/strings/requests.en.js"
};
static const unsigned char file_197[] = {
#embed "app/strings/rota.de.js"
};
static const unsigned char file_198[] = {
#embed "app/strings/rota.en.js"
};
static const unsigned char file_199[] = {
#embed "app/strings/shopping.de.js"
};
static const unsigned char file_200[] = {
#embed "app/strings/shopping.en.js"
};
static const unsigned char file_201[] = {
#embed "app/strings/stock.de.js"
};
static const unsigned char file_202[] = {
#embed "app/strings/stock.en.js"
};
static const unsigned char file_203[] = {
#embed "app/strings/tour.de.js"
};
static const unsigned char file_204[] = {
#embed "app/strings/tour.en.js"
};
static const unsigned char file_205[] = {
#embed "app/strings/trip.de.js"
};
static const unsigned char file_206[] = {
#embed "app/strings/trip.en.js"
};
static const unsigned char file_207[] = {
#embed "app/strings/trips.de.js"
};
static const unsigned char file_208[] = {
#embed "app/strings/trips.en.js"
};
static const unsigned char file_209[] = {
#embed "app/strings/welcome.de.js"
};
static const unsigned char file_210[] = {
#embed "app/strings/welcome.en.js"
};
static const unsigned char file_211[] = {
#embed "app/sw.js"
};

static const struct web_file files[] = {
    {"app.css", file_0, sizeof file_0},
    {"app.js", file_1, sizeof file_1},
    {"hearth.d.ts", file_2, sizeof file_2},
    {"hearth.js", file_3, sizeof file_3},
    {"hearth/backoff.js", file_4, sizeof file_4},
    {"hearth/browser.js", file_5, sizeof file_5},
    {"hearth/core.js", file_6, sizeof file_6},
    {"hearth/hearth.js", file_7, sizeof file_7},
    {"hearth/merge.js", file_8, sizeof file_8},
    {"hearth/puzzle.js", file_9, sizeof file_9},
    {"hearth/queue.js", file_10, sizeof file_10},
    {"hearth/refusal.js", file_11, sizeof file_11},
    {"hearth/room.js", file_12, sizeof file_12},
    {"hearth/rooms.js", file_13, sizeof file_13},
    {"hearth/socket.js", file_14, sizeof file_14},
    {"hearth/store.js", file_15, sizeof file_15},
    {"hearth/tabs.js", file_16, sizeof file_16},
    {"hearth/types/documents.d.ts", file_17, sizeof file_17},
    {"hearth/types/library.d.ts", file_18, sizeof file_18},
    {"hearth/types/methods.d.ts", file_19, sizeof file_19},
    {"icon.svg", file_20, sizeof file_20},
    {"index.html", file_21, sizeof file_21},
    {"insecure.css", file_22, sizeof file_22},
    {"insecure.html", file_23, sizeof file_23},
    {"manifest.webmanifest", file_24, sizeof file_24},
    {"parts/acquaintances.js", file_25, sizeof file_25},
    {"parts/activity.js", file_26, sizeof file_26},
    {"parts/agenda.js", file_27, sizeof file_27},
    {"parts/ages.js", file_28, sizeof file_28},
    {"parts/alive.js", file_29, sizeof file_29},
    {"parts/avatar.js", file_30, sizeof file_30},
    {"parts/awake.js", file_31, sizeof file_31},
    {"parts/bill_fields.js", file_32, sizeof file_32},
    {"parts/bills.js", file_33, sizeof file_33},
    {"parts/bin.js", file_34, sizeof file_34},
    {"parts/calendar.js", file_35, sizeof file_35},
    {"parts/checkout.js", file_36, sizeof file_36},
    {"parts/child.d.ts", file_37, sizeof file_37},
    {"parts/chores.js", file_38, sizeof file_38},
    {"parts/confirm.js", file_39, sizeof file_39},
    {"parts/connection.js", file_40, sizeof file_40},
    {"parts/csv.js", file_41, sizeof file_41},
    {"parts/dates.js", file_42, sizeof file_42},
    {"parts/dinner.js", file_43, sizeof file_43},
    {"parts/drinks.js", file_44, sizeof file_44},
    {"parts/due_money.js", file_45, sizeof file_45},
    {"parts/family.js", file_46, sizeof file_46},
    {"parts/focus.js", file_47, sizeof file_47},
    {"parts/follow.js", file_48, sizeof file_48},
    {"parts/geo.js", file_49, sizeof file_49},
    {"parts/groceries.js", file_50, sizeof file_50},
    {"parts/heading.js", file_51, sizeof file_51},
    {"parts/here.js", file_52, sizeof file_52},
    {"parts/hidden.js", file_53, sizeof file_53},
    {"parts/household.js", file_54, sizeof file_54},
    {"parts/icons.js", file_55, sizeof file_55},
    {"parts/ids.js", file_56, sizeof file_56},
    {"parts/install.js", file_57, sizeof file_57},
    {"parts/keep.js", file_58, sizeof file_58},
    {"parts/keys.js", file_59, sizeof file_59},
    {"parts/likely_currency.js", file_60, sizeof file_60},
    {"parts/look.js", file_61, sizeof file_61},
    {"parts/map.js", file_62, sizeof file_62},
    {"parts/money.js", file_63, sizeof file_63},
    {"parts/names.js", file_64, sizeof file_64},
    {"parts/note_colours.js", file_65, sizeof file_65},
    {"parts/openid.js", file_66, sizeof file_66},
    {"parts/pages.js", file_67, sizeof file_67},
    {"parts/paging.js", file_68, sizeof file_68},
    {"parts/payments.js", file_69, sizeof file_69},
    {"parts/pull.js", file_70, sizeof file_70},
    {"parts/qr.js", file_71, sizeof file_71},
    {"parts/quantity.js", file_72, sizeof file_72},
    {"parts/records.d.ts", file_73, sizeof file_73},
    {"parts/recurrence.js", file_74, sizeof file_74},
    {"parts/recurring.js", file_75, sizeof file_75},
    {"parts/refusals.js", file_76, sizeof file_76},
    {"parts/repeat.js", file_77, sizeof file_77},
    {"parts/reporter.js", file_78, sizeof file_78},
    {"parts/requests.js", file_79, sizeof file_79},
    {"parts/rota.js", file_80, sizeof file_80},
    {"parts/rota_marks.js", file_81, sizeof file_81},
    {"parts/router.js", file_82, sizeof file_82},
    {"parts/screen.js", file_83, sizeof file_83},
    {"parts/select.js", file_84, sizeof file_84},
    {"parts/settings.js", file_85, sizeof file_85},
    {"parts/share_map.js", file_86, sizeof file_86},
    {"parts/shares.js", file_87, sizeof file_87},
    {"parts/sheet.js", file_88, sizeof file_88},
    {"parts/shopping.js", file_89, sizeof file_89},
    {"parts/signal.js", file_90, sizeof file_90},
    {"parts/snackbar.js", file_91, sizeof file_91},
    {"parts/split.js", file_92, sizeof file_92},
    {"parts/swipe.js", file_93, sizeof file_93},
    {"parts/tour.js", file_94, sizeof file_94},
    {"parts/trips.js", file_95, sizeof file_95},
    {"parts/update.js", file_96, sizeof file_96},
    {"parts/way.js", file_97, sizeof file_97},
    {"parts/when.js", file_98, sizeof file_98},
    {"parts/words.js", file_99, sizeof file_99},
    {"screens/activity.js", file_100, sizeof file_100},
    {"screens/away.js", file_101, sizeof file_101},
    {"screens/bill.js", file_102, sizeof file_102},
    {"screens/bill_form.js", file_103, sizeof file_103},
    {"screens/bill_pages.js", file_104, sizeof file_104},
    {"screens/calendar.js", file_105, sizeof file_105},
    {"screens/calendar_sheets.js", file_106, sizeof file_106},
    {"screens/changes.js", file_107, sizeof file_107},
    {"screens/chat.js", file_108, sizeof file_108},
    {"screens/checkout.js", file_109, sizeof file_109},
    {"screens/chore.js", file_110, sizeof file_110},
    {"screens/chore_form.js", file_111, sizeof file_111},
    {"screens/chore_history.js", file_112, sizeof file_112},
    {"screens/chore_later.js", file_113, sizeof file_113},
    {"screens/chore_statistics.js", file_114, sizeof file_114},
    {"screens/chores.css", file_115, sizeof file_115},
    {"screens/chores.js", file_116, sizeof file_116},
    {"screens/contacts.js", file_117, sizeof file_117},
    {"screens/delete_account.js", file_118, sizeof file_118},
    {"screens/dinner.css", file_119, sizeof file_119},
    {"screens/dinner.js", file_120, sizeof file_120},
    {"screens/drinks.js", file_121, sizeof file_121},
    {"screens/drinks_sheets.js", file_122, sizeof file_122},
    {"screens/entry.js", file_123, sizeof file_123},
    {"screens/home.js", file_124, sizeof file_124},
    {"screens/household.js", file_125, sizeof file_125},
    {"screens/household_settings.js", file_126, sizeof file_126},
    {"screens/inbox.js", file_127, sizeof file_127},
    {"screens/item.js", file_128, sizeof file_128},
    {"screens/look.js", file_129, sizeof file_129},
    {"screens/me.js", file_130, sizeof file_130},
    {"screens/messages.css", file_131, sizeof file_131},
    {"screens/money.css", file_132, sizeof file_132},
    {"screens/money.js", file_133, sizeof file_133},
    {"screens/money_with.js", file_134, sizeof file_134},
    {"screens/my_share.js", file_135, sizeof file_135},
    {"screens/note.js", file_136, sizeof file_136},
    {"screens/notifications.js", file_137, sizeof file_137},
    {"screens/out.css", file_138, sizeof file_138},
    {"screens/out.js", file_139, sizeof file_139},
    {"screens/out_map.js", file_140, sizeof file_140},
    {"screens/people.css", file_141, sizeof file_141},
    {"screens/pocket.js", file_142, sizeof file_142},
    {"screens/profile.js", file_143, sizeof file_143},
    {"screens/purchase.js", file_144, sizeof file_144},
    {"screens/purchases.js", file_145, sizeof file_145},
    {"screens/recurring.js", file_146, sizeof file_146},
    {"screens/recurring_form.js", file_147, sizeof file_147},
    {"screens/requests.js", file_148, sizeof file_148},
    {"screens/rota.js", file_149, sizeof file_149},
    {"screens/security.js", file_150, sizeof file_150},
    {"screens/share.js", file_151, sizeof file_151},
    {"screens/share_new.js", file_152, sizeof file_152},
    {"screens/shop.js", file_153, sizeof file_153},
    {"screens/shopping.css", file_154, sizeof file_154},
    {"screens/shopping.js", file_155, sizeof file_155},
    {"screens/shopping_acts.js", file_156, sizeof file_156},
    {"screens/shopping_lists.js", file_157, sizeof file_157},
    {"screens/shopping_select.js", file_158, sizeof file_158},
    {"screens/special.js", file_159, sizeof file_159},
    {"screens/spending.js", file_160, sizeof file_160},
    {"screens/start.js", file_161, sizeof file_161},
    {"screens/stock.js", file_162, sizeof file_162},
    {"screens/watching.js", file_163, sizeof file_163},
    {"screens/welcome.js", file_164, sizeof file_164},
    {"strings/calendar.de.js", file_165, sizeof file_165},
    {"strings/calendar.en.js", file_166, sizeof file_166},
    {"strings/chore.de.js", file_167, sizeof file_167},
    {"strings/chore.en.js", file_168, sizeof file_168},
    {"strings/chores.de.js", file_169, sizeof file_169},
    {"strings/chores.en.js", file_170, sizeof file_170},
    {"strings/de.js", file_171, sizeof file_171},
    {"strings/dinner.de.js", file_172, sizeof file_172},
    {"strings/dinner.en.js", file_173, sizeof file_173},
    {"strings/drinks.de.js", file_174, sizeof file_174},
    {"strings/drinks.en.js", file_175, sizeof file_175},
    {"strings/en.js", file_176, sizeof file_176},
    {"strings/home.de.js", file_177, sizeof file_177},
    {"strings/home.en.js", file_178, sizeof file_178},
    {"strings/inbox.de.js", file_179, sizeof file_179},
    {"strings/inbox.en.js", file_180, sizeof file_180},
    {"strings/me.de.js", file_181, sizeof file_181},
    {"strings/me.en.js", file_182, sizeof file_182},
    {"strings/money.de.js", file_183, sizeof file_183},
    {"strings/money.en.js", file_184, sizeof file_184},
    {"strings/out.de.js", file_185, sizeof file_185},
    {"strings/out.en.js", file_186, sizeof file_186},
    {"strings/payments.de.js", file_187, sizeof file_187},
    {"strings/payments.en.js", file_188, sizeof file_188},
    {"strings/people.de.js", file_189, sizeof file_189},
    {"strings/people.en.js", file_190, sizeof file_190},
    {"strings/recurring.de.js", file_191, sizeof file_191},
    {"strings/recurring.en.js", file_192, sizeof file_192},
    {"strings/repeat.de.js", file_193, sizeof file_193},
    {"strings/repeat.en.js", file_194, sizeof file_194},
    {"strings/requests.de.js", file_195, sizeof file_195},
    {"strings/requests.en.js", file_196, sizeof file_196},
    {"strings/rota.de.js", file_197, sizeof file_197},
    {"strings/rota.en.js", file_198, sizeof file_198},
    {"strings/shopping.de.js", file_199, sizeof file_199},
    {"strings/shopping.en.js", file_200, sizeof file_200},
    {"strings/stock.de.js", file_201, sizeof file_201},
    {"strings/stock.en.js", file_202, sizeof file_202},
    {"strings/tour.de.js", file_203, sizeof file_203},
    {"strings/tour.en.js", file_204, sizeof file_204},
    {"strings/trip.de.js", file_205, sizeof file_205},
    {"strings/trip.en.js", file_206, sizeof file_206},
    {"strings/trips.de.js", file_207, sizeof file_207},
    {"strings/trips.en.js", file_208, sizeof file_208},
    {"strings/welcome.de.js", file_209, sizeof file_209},
    {"strings/welcome.en.js", file_210, sizeof file_210},
    {"sw.js", file_211, sizeof file_211},
};

size_t web_file_count(void) { return sizeof files / sizeof files[0]; }

const struct web_file *web_file_at(size_t index) { return &files[index]; }
