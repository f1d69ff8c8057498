// Continuation tokens are sealed, so that they cannot be forged or read. The same position always has the same token.
import type { Key } from '@bridle/kernel/event'
import type { AppPorts } from '../app.ts'
import { seal, unseal } from '../http/access/sealing.ts'
import { randomToken } from '../http/access/secrets.ts'

export interface ContinuationClaim {
  readonly key: Key
  readonly runId: string
  readonly approvalId: string
  /** `status` only polls, and never approves. */
  readonly option: 'status' | 'approve' | 'deny'
  /** Index of the option in a single-choice question. */
  readonly choice?: number
}

/** Fallback for servers without a secret, such as in tests. Created on first use: Workers have no randomness at startup. */
let ownSecret: string | undefined

export const secretOf = async ({ signingSecret }: Pick<AppPorts, 'signingSecret'>): Promise<string> => {
  if (signingSecret) return signingSecret()
  ownSecret ??= randomToken()
  return ownSecret
}

export const sealContinuation = async (ports: Pick<AppPorts, 'signingSecret'>, claim: ContinuationClaim) =>
  seal(await secretOf(ports), 'continuation', claim)

export const openContinuation = async (
  ports: Pick<AppPorts, 'signingSecret'>,
  token: string,
): Promise<ContinuationClaim | null> => unseal<ContinuationClaim>(await secretOf(ports), 'continuation', token)
