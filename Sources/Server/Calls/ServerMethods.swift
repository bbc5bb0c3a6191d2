import Home
import JSON
import Rooms

/// A method that the server itself answers, not a room's rule.
struct ServerMethod: Sendable {
  /// Where it is carried out.
  enum Place: Sendable {
    /// On the shard of the connection.
    case connection
    /// Where the room lives that the call names, or the caller's own.
    case room, me
  }

  let needsPerson: Bool
  let place: Place
  /// The call is refused over a connection in clear text (LOC-31).
  var needsEncryption = false
  let run: @Sendable (Shard, View, Caller) -> Void
  /// Its parameters, for `rpc.discover`.
  let describe: @Sendable () -> [FieldDescription]

  /// A method whose parameters are the fields of a record.
  static func of<Parameters: Record>(
    needsPerson: Bool = true, at place: Place, _ body: @escaping @Sendable (Shard, Parameters, Caller) -> Void
  ) -> ServerMethod {
    ServerMethod(
      needsPerson: needsPerson, place: place,
      run: { shard, view, caller in
        guard let parameters = shard.read(for: caller, { Parameters.read(view, $0) }) else { return }
        body(shard, parameters, caller)
      }, describe: { Parameters.descriptions })
  }

  static let all: [String: ServerMethod] = [
    "hello": of(needsPerson: false, at: .connection) { (shard, parameters: AccountDesk.HelloParameters, caller) in
      shard.accounts.hello(parameters, caller)
    },
    "rpc.discover": of(needsPerson: false, at: .connection) { (shard, _: NoAnswer, caller) in shard.discover(caller) },
    "auth.signUp": ServerMethod(
      needsPerson: false, place: .connection, run: { $0.accounts.signUp($1, $2) },
      describe: { Discovery.checked(AccountDesk.SignUpParameters.descriptions) }),
    "auth.logIn": of(needsPerson: false, at: .connection) { (shard, parameters: AccountDesk.LogInParameters, caller) in
      shard.accounts.logIn(parameters, caller)
    },
    "auth.nonce": of(needsPerson: false, at: .connection) { (shard, _: NoAnswer, caller) in
      shard.accounts.giveNonce(caller)
    },
    "auth.logInWithToken": ServerMethod(
      needsPerson: false, place: .connection, run: { $0.accounts.logInWithToken($1, $2) },
      describe: { Discovery.checked(AccountDesk.TokenLogInParameters.descriptions) }),
    "auth.puzzle": of(needsPerson: false, at: .connection) { (shard, _: NoAnswer, caller) in
      shard.accounts.puzzles.make(for: caller)
    },
    "auth.changePassword": ServerMethod(
      needsPerson: true, place: .connection, run: { $0.accounts.changePassword($1, $2) },
      describe: { AccountDesk.PasswordParameters.descriptions }),
    "auth.sendCode": of(at: .connection) { (shard, _: NoAnswer, caller) in shard.accounts.sendCode(caller) },
    "auth.verify": of(at: .connection) { (shard, parameters: AccountDesk.VerifyParameters, caller) in
      shard.accounts.verify(parameters, caller)
    },
    "auth.changeAddress": ServerMethod(
      needsPerson: true, place: .connection, run: { $0.accounts.changeAddress($1, $2) },
      describe: { Discovery.checked(AccountDesk.AddressParameters.descriptions) }),
    "auth.forgotPassword": of(needsPerson: false, at: .connection) {
      (shard, parameters: AccountDesk.ForgottenParameters, caller) in
      shard.accounts.forgotPassword(parameters, caller)
    },
    "auth.resetPassword": ServerMethod(
      needsPerson: false, place: .connection, run: { $0.accounts.resetPassword($1, $2) },
      describe: { AccountDesk.ResetParameters.descriptions }),
    "auth.confirm": ServerMethod(
      needsPerson: true, place: .connection, run: { $0.accounts.confirm($1, $2) },
      describe: { AccountDesk.ConfirmParameters.descriptions }),
    "auth.setPin": ServerMethod(
      needsPerson: true, place: .connection, run: { $0.accounts.setPIN($1, $2) },
      describe: { AccountDesk.SetPINParameters.descriptions }),
    "auth.removePin": of(at: .connection) { (shard, parameters: AccountDesk.RemovePINParameters, caller) in
      shard.accounts.removePIN(parameters, caller)
    },
    "auth.logOut": of(at: .connection) { (shard, _: NoAnswer, caller) in shard.accounts.logOut(caller) },
    "devices.revoke": of(at: .connection) { (shard, parameters: AccountDesk.RevokeParameters, caller) in
      shard.accounts.revokeDevices(parameters, caller)
    },
    "devices.rename": of(at: .connection) { (shard, parameters: AccountDesk.RenameParameters, caller) in
      shard.accounts.renameDevice(parameters, caller)
    },
    "room.subscribe": of(at: .room) { (shard, parameters: Shard.SubscribeParameters, caller) in
      shard.subscribe(parameters, caller)
    },
    "room.unsubscribe": of(at: .room) { (shard, parameters: Shard.RoomParameters, caller) in
      shard.unsubscribe(parameters, caller)
    },
    "positions.report": ServerMethod(
      needsPerson: true, place: .me, needsEncryption: true, run: { $0.report($1, $2) },
      describe: { Report.parameters }),
  ]
}
