import Home
import Platform

/// The words of letters, as plain text and as HTML with the same content.
struct LetterText {
  private let subject: String
  private let paragraphs: [Paragraph]

  private enum Paragraph {
    case text(String)
    /// Shown large, to be typed.
    case code(String)
    case link(String)
  }

  /// - Parameter url: The address of the server's page, if it is known.
  init(_ letter: Letter, url: String?) {
    let code = letter.code ?? ""
    let link = url.map { [Paragraph.link($0)] } ?? []
    switch letter.kind {
    case .addressCode:
      subject = "\(code) is your Hearth code"
      paragraphs = [
        .text("Hello \(letter.name),"), .text("this code shows Hearth that the address is yours. It works for a day."),
        .code(code), .text("If you did not ask for it, ignore this mail: nothing happens without the code."),
      ]
    case .addressTaken:
      subject = "You have a Hearth account already"
      paragraphs =
        [
          .text("Somebody, perhaps you, has signed up to Hearth with this address. It has an account already."),
          .text("If it was you, log in with that account. If you have forgotten the password, ask for a code there."),
        ] + link + [.text("If it was not you, ignore this mail: your account is unchanged.")]
    case .addressChanged:
      subject = "Your Hearth account has another address"
      paragraphs = [
        .text("Hello \(letter.name),"),
        .text("your account has another address now. Mail for it no longer comes here."),
        .text("If it was not you, tell the person who runs your Hearth server at once."),
      ]
    case .resetCode:
      subject = "\(code) replaces your Hearth password"
      paragraphs = [
        .text("Hello \(letter.name),"),
        .text("with this code you can choose another password. It works for 30 minutes, once."), .code(code),
        .text("If you did not ask for it, ignore this mail: your password is unchanged."),
      ]
    case .invitation:
      let household = letter.household ?? ""
      subject = "\(letter.name) invites you to \(household)"
      paragraphs =
        [
          .text("\(letter.name) invites you to the household \(household) on Hearth."),
          .text("Sign up there with this address, and the invitation is waiting for you. It is open for 14 days."),
        ] + link + [.text("If you do not know \(letter.name), ignore this mail.")]
    case .contact:
      subject = "\(letter.name) wants to be your contact"
      paragraphs =
        [
          .text("\(letter.name) wants to be your contact on Hearth, to share positions and invite you to households."),
          .text("Sign up there with this address, and the invitation is waiting for you. It is open for 14 days."),
        ] + link + [.text("If you do not know \(letter.name), ignore this mail.")]
    }
  }

  func mail(to address: String, id: String) -> Mail {
    Mail(id: id, to: address, subject: subject, text: text, html: html)
  }

  private var text: String {
    paragraphs.map {
      switch $0 {
      case .text(let text), .link(let text): text + "\n"
      case .code(let code): "    \(code)\n"
      }
    }.joined(separator: "\n")
  }

  private var html: String {
    let body = paragraphs.map {
      switch $0 {
      case .text(let text): "<p>\(Self.escape(text))</p>"
      case .code(let code):
        "<p style=\"font: bold 28px monospace; letter-spacing: 3px; margin: 24px 0\">\(Self.escape(code))</p>"
      case .link(let url): "<p><a href=\"\(Self.escape(url))\">\(Self.escape(url))</a></p>"
      }
    }.joined(separator: "\n")
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>\(Self.escape(subject))</title></head>
      <body style="font: 16px/1.5 sans-serif; max-width: 32em; margin: 24px auto; padding: 0 16px">
      \(body)
      </body></html>

      """
  }

  private static func escape(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
