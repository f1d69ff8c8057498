// A vendor login of the server's user, in place of a key. Only servers that nobody else reaches use it, and no sandbox has it.
import type { IncomingHttpHeaders } from 'node:http'

export interface Login {
  /** Taken out of everything that is passed back. */
  readonly secret: string
  /** The vendor's address for logins; absent = the one for keys. */
  readonly url?: string
  readonly headers: (from: IncomingHttpHeaders) => { readonly [name: string]: string }
}

/** The login cannot be used: a sentence that says what to do. */
export interface LoginProblem {
  readonly problem: string
}

export interface LoginSource {
  /** The place of the login, for people; never its value. */
  readonly name: string
  /** How a person gets one, behind "or". */
  readonly hint: string
  /** The words for the moment when the vendor refuses it. */
  readonly renewal: string
  /** Asked for each request, so that a new login counts at once. Null = there is none. */
  readonly find: (env: NodeJS.ProcessEnv, nowMs: number) => Login | LoginProblem | null
}
