// Tables as comma-separated values (RFC 4180), as `hearth ledger` writes them.

/**
 * A row with its line break. A text that a spreadsheet would take for a formula gets an apostrophe before it; numbers
 * stay as they are. @param {(string | number)[]} fields
 */
export const csvRow = (fields) => `${fields.map((one) => field(String(one))).join(",")}\r\n`;

/** @param {string} text */
function field(text) {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Gives a text to the person as a file. @param {string} name @param {string} text @param {string} type */
export function download(name, text, type) {
  // Spreadsheets know the letters by this mark.
  const url = URL.createObjectURL(new Blob(["\uFEFF", text], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  // Some browsers read it only after the click is over.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
