extension HomeRooms {
  /// The decimals of a currency by ISO 4217: 0, 2, 3 or 4; 2 for a code that is none.
  public static func decimals(of currency: String) -> Int { CurrencyCode(text: currency).decimals }
}
