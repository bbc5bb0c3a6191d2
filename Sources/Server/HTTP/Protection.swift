import HTTP

/// The headers by which every answer tells browsers how far to trust it (PAGE 3).
enum Protection {
  /// For the page: nothing from elsewhere, no markup made of text, no frame around it.
  ///
  /// - Parameter images: Further origins that images may come from, such as one of map tiles.
  static func ofPage(images: [Origin] = []) -> Headers {
    let sources = (["'self'", "blob:", "data:"] + images.map(\.description)).joined(separator: " ")
    return headers(policy: [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src \(sources)", "connect-src 'self'",
      "manifest-src 'self'", "worker-src 'self'", "font-src 'self'", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types hearth",
    ])
  }

  /// For all else, in which nothing is to be run or shown.
  static let ofData = headers(policy: ["default-src 'none'", "frame-ancestors 'none'"])

  private static func headers(policy: [String]) -> Headers {
    [
      "Content-Security-Policy": policy.joined(separator: "; "), "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Permissions-Policy": "geolocation=(self), camera=(), microphone=()",
    ]
  }
}
