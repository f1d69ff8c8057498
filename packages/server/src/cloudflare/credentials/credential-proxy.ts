// A run gets a sealed token instead of the key. Only the session's object knows whether the run is active and what it has
// spent, so the object adds the key and calls the provider.
import type { Key } from '@bridle/kernel/event'
import type { Job } from '@bridle/kernel/ports/runner'
import { costUsd, priceOf } from '@bridle/model-data/prices'
import { effectiveSettings } from '@bridle/runners/credentials/effective-settings'
import { ERROR_BYTES_MAX } from '@bridle/runners/credentials/limits'
import { encodeProxyRefusal, type ProviderName, providers } from '@bridle/runners/credentials/providers'
import { type Provider, type ProviderRoute, REFUSAL_STATUSES } from '@bridle/runners/credentials/providers/provider'
import {
  type AdmittedRequest,
  admitRequest,
  type IncomingCall,
  pathNotAllowed,
} from '@bridle/runners/credentials/request-admission'
import { findProviderRoute, type ProviderTarget, type ProxyRefusal } from '@bridle/runners/credentials/request-rules'
import { isProxyRefusal, type SpendLedger } from '@bridle/runners/credentials/spending/spend-ledger'
import { usageMeter } from '@bridle/runners/credentials/spending/usage-meter'
import type { EngineSettings, RunEnvVars } from '@bridle/runners/protocol/protocol'
import type { RunCredentials } from '@bridle/runners/remote/remote-runner'
import { seal, unseal } from '@bridle/surfaces/http/access/sealing'
import type { HarnessEnv } from '../platform/options.ts'
import type { SigningSecret } from './signing-secret.ts'

export const CREDENTIALS_PATH = '/credentials'
const PREFIX = 'bridle-run-'

export interface CredentialClaim {
  readonly provider: ProviderName
  readonly key: Key
  readonly home: string
  /** Null: the active run of the session. */
  readonly runId: string | null
  readonly attempt: number
  readonly maxUsd: number | null
}

export interface CredentialPorts {
  readonly env: HarnessEnv
  readonly secret: SigningSecret
  readonly home: () => string
  /** The gateway's address as seen by the sandbox. Empty until the first request. */
  readonly origin: () => string
}

/** A restarted run keeps its token. */
export const runCredentials = (
  { env, secret, home, origin }: CredentialPorts,
  provider: ProviderName,
  settings: EngineSettings,
): RunCredentials => {
  const varsOf = async (claim: CredentialClaim): Promise<RunEnvVars> => {
    const { keyName, urlName, mount } = providers[provider]
    if (!keyOf(env, provider) || origin() === '') return {}
    return {
      [keyName]: `${PREFIX}${await seal(await secret(), 'credential', claim)}`,
      [urlName]: `${origin()}${CREDENTIALS_PATH}${mount}`,
    }
  }
  const claimFor = (job: Job): CredentialClaim => ({
    provider,
    key: job.key,
    home: home(),
    runId: job.runId,
    attempt: job.attempt,
    maxUsd: runBudgetUsd(settings, job),
  })
  return {
    grant: (job) => varsOf(claimFor(job)),
    // A container outlives the run that starts it, and its variables cannot change later.
    grantAtStart: (job) => varsOf({ ...claimFor(job), runId: null, attempt: 0, maxUsd: null }),
    // The token expires with its run: the object checks the log on each request.
    revoke: () => {},
  }
}

/** The smallest of the operator's, the session's and the caller's budgets. */
export const runBudgetUsd = (settings: EngineSettings, run: Pick<Job, 'settings' | 'input'>): number | null => {
  const { max_budget_usd: own } = effectiveSettings(settings, run)
  return typeof own === 'number' ? own : null
}

/** Runs in the gateway. Errors use the provider's format, because its SDK reads them. */
export const readCredentialClaim = async (
  request: Request,
  secret: SigningSecret,
): Promise<{ readonly claim: CredentialClaim } | { readonly answer: Response }> => {
  const { headers, method } = request
  const located = findProviderRoute(method, pathOf(request))
  if (!located) return { answer: refusal(null, ['path_not_allowed', 'There is nothing at this path.']) }
  const { provider, name, route } = located
  if (route?.kind === 'probe') return { answer: new Response(null) }
  const token = headers.get('x-api-key') ?? /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''
  const isOurs = token.startsWith(PREFIX)
  const claim = isOurs ? await unseal<CredentialClaim>(await secret(), 'credential', token.slice(PREFIX.length)) : null
  // A token is valid for one provider only.
  return claim?.provider === name ? { claim } : { answer: refusal(provider, invalid) }
}

export interface ProviderCall {
  readonly request: Request
  readonly env: HarnessEnv
  readonly isLive: boolean
  readonly models: readonly string[] | null
  readonly ledger: SpendLedger
}

/** Runs in the object. Checks the call, reserves its cost, sends it with the key, and meters the response. */
export const answerProviderCall = async (asking: ProviderCall): Promise<Response> => {
  const { request, models, ledger, isLive } = asking
  const located = findProviderRoute(request.method, pathOf(request))
  if (!located) return refusal(null, ['path_not_allowed', 'There is nothing at this path.'])
  const { provider, route } = located
  const no = (refused: ProxyRefusal) => refusal(provider, refused)
  if (!isLive) return no(invalid)
  if (!route) return no(pathNotAllowed(request.method, located))
  const call: IncomingCall = {
    encoding: request.headers.get('content-encoding'),
    signal: request.signal,
    readText: (bytesMax, hold) => readTextUpTo(request.body, bytesMax, hold),
  }
  const admitted = await admitRequest(call, route, { models, ledger })
  if (isProxyRefusal(admitted)) return no(admitted)
  let isPassing = false
  try {
    const answer = await forwardToProvider(asking, { ...located, route }, admitted)
    if (isProxyRefusal(answer)) return no(answer)
    isPassing = answer.isMetered
    return answer.response
  } finally {
    if (!isPassing) admitted.end()
  }
}

interface ProviderAnswer {
  readonly response: Response
  readonly isMetered: boolean
}

const forwardToProvider = async (
  { request, env }: ProviderCall,
  { name, provider, route, path }: ProviderTarget & { readonly route: ProviderRoute },
  { model, body, settle, end }: AdmittedRequest,
): Promise<ProviderAnswer | ProxyRefusal> => {
  const key = keyOf(env, name)
  if (!key) return ['key_missing', `This server has no ${provider.keyName}. Set it and deploy again.`]
  const base = (env[provider.urlName] || provider.vendorUrl).replace(/\/+$/, '')
  const answer = await fetch(`${base}${path}${new URL(request.url).search}`, {
    method: request.method,
    headers: { ...forwardableHeaders(request.headers), ...provider.authorise(key), 'accept-encoding': 'identity' },
    // Following a redirect could send the key to another host.
    redirect: 'manual',
    ...(body !== null && { body }),
  }).catch(() => null)
  if (!answer) return ['upstream_failed', `${provider.title} could not be reached from this server. Check its network.`]
  const { status } = answer
  if (status === 401)
    return ['key_refused', `${provider.title} refused the key of this server. Check its ${provider.keyName}.`]
  if (status < 200 || (status >= 300 && status < 400))
    return ['upstream_failed', `${provider.title} answered with a redirect, which is not followed.`]
  const headers = forwardableHeaders(answer.headers)
  if (status >= 400) {
    // Some gateways echo request headers in errors, including the key.
    const error = await readTextUpTo(answer.body, ERROR_BYTES_MAX)
    const text = typeof error === 'string' ? '' : error.text.replaceAll(key, '[key]')
    return { response: new Response(text, { status, headers }), isMetered: false }
  }
  if (route.kind !== 'answer' || body === null || !answer.body)
    return { response: new Response(answer.body, { status, headers }), isMetered: false }
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const meter = usageMeter(name, { isStream, requestBytes: body.length })
  const counted = meterBody(answer.body, meter, (usage) => {
    settle(costUsd(usage, priceOf(model ?? '')))
    end()
  })
  return { response: new Response(counted, { status, headers }), isMetered: true }
}

/** Charges once, at the end of the response or when the reader leaves: a truncated response still costs. */
const meterBody = (
  body: ReadableStream<Uint8Array>,
  meter: ReturnType<typeof usageMeter>,
  charge: (usage: ReturnType<typeof meter.total>) => void,
): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  let isCharged = false
  const settle = () => {
    if (!isCharged) charge(meter.total())
    isCharged = true
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((cause) => {
        settle()
        throw cause
      })
      if (value) {
        meter.read(value)
        controller.enqueue(value)
      }
      if (!done) return
      settle()
      controller.close()
    },
    async cancel(reason) {
      settle()
      await reader.cancel(reason)
    },
  })
}

const invalid: ProxyRefusal = ['token_invalid', 'This token is not, or no longer, valid.']

const refusal = (provider: Provider | null, [code, message]: ProxyRefusal): Response =>
  Response.json(encodeProxyRefusal(provider, code, message), { status: REFUSAL_STATUSES[code] })

const pathOf = ({ url }: Request): string => new URL(url).pathname.slice(CREDENTIALS_PATH.length)

const keyOf = (env: HarnessEnv, name: ProviderName): string | undefined => env[providers[name].keyName]

/** Headers that the proxy sets itself, or never forwards in either direction. */
const DROPPED =
  /^(host|connection|authorization|x-api-key|cookie|set-cookie|content-length|content-encoding|transfer-encoding|accept-encoding|keep-alive|location|x-bridle-.*|cf-.*|x-forwarded-.*|x-real-ip)$/

const forwardableHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !DROPPED.test(name)))

/** Returns the text, or why reading stopped. `hold` may refuse each chunk by its size. */
const readTextUpTo = async (
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  hold: (bytes: number) => boolean = () => true,
): Promise<{ readonly text: string } | 'too large' | 'too many'> => {
  if (!body) return { text: '' }
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const parts: string[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: parts.join('') + decoder.decode() }
    bytes += value.byteLength
    const refusal = bytes > bytesMax ? 'too large' : hold(value.byteLength) ? null : 'too many'
    if (refusal) {
      await reader.cancel().catch(() => {})
      return refusal
    }
    parts.push(decoder.decode(value, { stream: true }))
  }
}
