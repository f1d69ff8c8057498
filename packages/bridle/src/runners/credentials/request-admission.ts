// Requests that spend a key pass the same check at the server's proxy and at the relay of a runner: path, size, model, and whether
// the run may still spend their worst case.
import type { IncomingMessage } from 'node:http'
import type { ProviderRoute } from './providers/provider.ts'
import { checkProviderRequest, type ProviderTarget, type ProxyRefusal, tooManyRequests } from './request-rules.ts'
import { isProxyRefusal, type RequestSlot, type SpendLedger } from './spending/spend-ledger.ts'

export interface AdmissionTerms {
  /** Names or patterns with `*`; null = any model. */
  readonly models: readonly string[] | null
  readonly ledger: SpendLedger
  readonly bodyBytesMax: number
  /** The highest price that a request can have. */
  readonly worstCase: (model: string, content: object, text: string) => number
}

/** A request that may be sent. `end` must be called in any case: it gives back what the request reserved and did not cost. */
export interface AdmittedRequest {
  /** Null: the request has no body. */
  readonly model: string | null
  readonly body: Buffer | null
  settle(usd: number): void
  end(): void
}

export const pathNotAllowed = (method: string | undefined, { path, provider }: ProviderTarget): ProxyRefusal => [
  'path_not_allowed',
  `${method} ${path} is not passed on to ${provider.title}.`,
]

/** `onModel` is called as soon as the model is known, also for a request that is refused later. */
export const admitRequest = async (
  request: IncomingMessage,
  route: ProviderRoute,
  { models, ledger, bodyBytesMax, worstCase }: AdmissionTerms,
  signal: AbortSignal,
  onModel: (model: string) => void = () => {},
): Promise<AdmittedRequest | ProxyRefusal> => {
  const slot = ledger.openSlot()
  if (isProxyRefusal(slot)) return slot
  let settle = (_usd: number) => {}
  const end = () => {
    // Release the reservation of a request that cost nothing.
    settle(0)
    slot.release()
  }
  const admit = async (): Promise<AdmittedRequest | ProxyRefusal> => {
    const passed = (usd: number) => settle(usd)
    if (route.method !== 'POST') return { model: null, body: null, settle: passed, end }
    if (ledger.refusal) return ledger.refusal
    const read = await readBody(request, bodyBytesMax, slot)
    if (read === 'too large') return ['body_too_large', `A request may have ${bodyBytesMax} bytes.`]
    if (read === 'too many') return tooManyRequests
    const checked = checkProviderRequest(read.toString('utf8'), request.headers['content-encoding'], models)
    if ('refused' in checked) return checked.refused
    const { model, body: text, content } = checked
    onModel(model)
    if (route.kind === 'answer') {
      const reserved = await ledger.reserve(worstCase(model, content, text), signal)
      if (isProxyRefusal(reserved)) return reserved
      settle = reserved.settle
    }
    return { model, body: Buffer.from(text), settle: passed, end }
  }
  let isAdmitted = false
  try {
    const answer = await admit()
    isAdmitted = !isProxyRefusal(answer)
    return answer
  } finally {
    if (!isAdmitted) end()
  }
}

const readBody = (
  request: IncomingMessage,
  bytesMax: number,
  slot: RequestSlot,
): Promise<Buffer | 'too large' | 'too many'> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    let isRefusing = false
    // Read and drop the rest of a body that is too large: a client that is still sending would not see the refusal.
    request.on('data', (part: Buffer) => {
      bytes += part.byteLength
      if (isRefusing) return
      const refusal = bytes > bytesMax ? 'too large' : slot.addBytes(part.byteLength) ? null : 'too many'
      if (refusal === null) return void parts.push(part)
      isRefusing = true
      parts.length = 0
      resolve(refusal)
    })
    request.once('end', () => resolve(Buffer.concat(parts)))
    request.once('error', reject)
    request.once('close', () => reject(new Error('The client left.')))
  })
