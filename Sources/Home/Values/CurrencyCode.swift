import JSON
import Rooms

/// The code of a currency in use, in upper case: ISO 4217, list one, as published on 2026-01-01.
///
/// That is every code that has a minor unit, units of account such as CLF and UYW (four decimals) included. Codes
/// without one, which are metals, bond units, tests and "no currency", name nothing that a bill is in.
struct CurrencyCode: Field {
  var text = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    // The bytes too: to Swift, a Kelvin sign is equal to a K.
    guard text.utf8.allSatisfy({ $0 < 0x80 }), codes.contains(text) else {
      problems.note("must be a currency such as EUR")
      return nil
    }
    return CurrencyCode(text: text)
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "enum": .array(codes.sorted().map(JSON.string))]
  }

  /// The decimals of the currency: an amount of 1 is this small a part of its unit.
  var decimals: Int {
    if Self.withoutDecimals.contains(text) { return 0 }
    if Self.withThreeDecimals.contains(text) { return 3 }
    return text == "CLF" || text == "UYW" ? 4 : 2
  }

  /// An amount in minor units as a decimal number of units, such as 12.34.
  func number(_ amount: Int) -> String {
    let digits = String(amount.magnitude)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count)) + digits
    let sign = amount < 0 ? "-" : ""
    return decimals == 0 ? sign + digits : "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }

  private static let withoutDecimals = Set(
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(separator: " ").map(String.init))
  private static let withThreeDecimals = Set(
    "BHD IQD JOD KWD LYD OMR TND".split(separator: " ").map(String.init))

  private static let codes = Set(
    """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF \
    CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD \
    HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD \
    MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN \
    PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD \
    TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
    """.split(separator: " ").map(String.init))
}
