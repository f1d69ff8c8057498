// Continuation tokens: what a shell sends back to go on where a run waits. A token is sealed, so that nobody can make or read one, and
// the same place has the same token.
import type { Key } from '@bridle/kernel/event'
import type { AppPorts } from '../app.ts'
import { seal, unseal } from '../http/access/sealing.ts'
import { randomToken } from '../http/access/secrets.ts'

export interface ContinuationClaim {
  readonly key: Key
  readonly runId: string
  readonly approvalId: string
  /** `status` only asks how things stand, and never approves. */
  readonly option: 'status' | 'approve' | 'deny'
  /** The place of the option in a question with a single choice. */
  readonly choice?: number
}

/** A server without a secret, as in tests, has one for as long as it lives. Made on first use: Workers have no randomness before. */
let ownSecret: string | undefined

export const secretOf = async ({ signingSecret }: Pick<AppPorts, 'signingSecret'>): Promise<string> => {
  if (signingSecret) return signingSecret()
  ownSecret ??= randomToken()
  return ownSecret
}

export const sealContinuation = async (ports: Pick<AppPorts, 'signingSecret'>, claim: ContinuationClaim) =>
  seal(await secretOf(ports), 'continuation', claim)

/** Null = no token of this server. */
export const openContinuation = async (
  ports: Pick<AppPorts, 'signingSecret'>,
  token: string,
): Promise<ContinuationClaim | null> => unseal<ContinuationClaim>(await secretOf(ports), 'continuation', token)
