import ArgumentParser
import Foundation
import Gateways
import Platform
import Rooms
import Transport

/// The mail server of `hearth serve`, if it has one.
struct MailSettings: Sendable {
  var server: String?
  var from: String?
  var user: String?
  var passwordFile: String?
  /// `nil` for those of the operating system.
  var authorities: String?

  /// The loss of members without a mail server (ACC-10, ACC-16), for the log.
  static let withoutMail = """
    without --mail nobody can verify an address, `hearth admin reset-code` must make codes for forgotten passwords, \
    and invitations are not mailed
    """

  /// Mails that are under way at a time, and mails that wait for a place.
  private static let sendingLimit = 2
  private static let waitingLimit = 64
  private static let passwordLimit = 1024

  /// Settings that contradict each other, each as a sentence.
  var contradictions: [String] {
    var found: [String] = []
    if (server == nil) != (from == nil) { found.append("mail and mail-from belong together") }
    if (user == nil) != (passwordFile == nil) { found.append("mail-user and mail-password-file belong together") }
    if server == nil, user != nil || passwordFile != nil || authorities != nil {
      found.append("mail-user, mail-password-file and mail-ca need mail")
    }
    return found
  }

  /// Reads the files. `nil` if no mail server is configured.
  func gateway(_ log: Logger) throws -> SMTPGateway? {
    guard let server, let from, var options = SMTPOptions(server: server, from: from) else { return nil }
    if let user, let passwordFile {
      options.logIn = SMTPOptions.LogIn(user: user, password: try Self.password(in: passwordFile))
    }
    if let authorities {
      guard try Self.text(of: authorities, "mail-ca").contains("-----BEGIN CERTIFICATE-----") else {
        throw ValidationError("The file \(authorities) of --mail-ca holds no certificate in PEM form.")
      }
      options.authorities = authorities
    }
    let workers = WorkerQueues(name: "hearth.mail", count: Self.sendingLimit, waitingLimit: Self.waitingLimit)
    do throws(GatewayError) {
      return try SMTPGateway(options, workers: workers, log: log) {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
      }
    } catch { throw ValidationError("\(error)") }
  }

  /// The first line of a file.
  private static func password(in path: String) throws -> String {
    let text = try text(of: path, "mail-password-file")
    let password = text.prefix { !$0.isNewline }
    guard (1...passwordLimit).contains(password.utf8.count), text.dropFirst(password.count).allSatisfy(\.isNewline)
    else { throw ValidationError("The file \(path) of --mail-password-file must hold one line, the password.") }
    return String(password)
  }

  private static func text(of path: String, _ setting: String) throws -> String {
    guard let text = try? String(contentsOf: URL(filePath: path), encoding: .utf8) else {
      throw ValidationError("The file \(path) of --\(setting) cannot be read.")
    }
    return text
  }
}
