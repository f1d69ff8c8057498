import { ModelError, type ModelErrorReason } from '@bridle/agents/model/model-error'
import type { VoiceFault } from '@bridle/kernel/ports/voice'
import { truncate } from '@bridle/kernel/text/truncate'
import type { ProviderAccess } from './provider.ts'
import { ProviderRefusal } from './provider-socket.ts'

/** Enough for a sentence. */
const PROVIDER_MESSAGE_CHARS_MAX = 300

export interface ProviderFaults {
  readonly key: () => VoiceFault
  readonly model: () => VoiceFault
  readonly quota: () => VoiceFault
  readonly lost: () => VoiceFault
  readonly emptyTurn: () => VoiceFault
  /** Any other fault. Redacts the key, which providers echo in full or in part. */
  readonly reported: (words: string) => VoiceFault
}

export const providerFaults = ({ provider, key }: ProviderAccess, model: string): ProviderFaults => ({
  key: () => ({
    code: 'provider_key',
    message: `The provider of the voice does not accept the key of the server. Its operator sets ${provider.keyVariable}.`,
  }),
  model: () => ({
    code: 'provider_model',
    message: `The provider has no realtime model "${model}" for this server. Name another one with ?model=, such as ${provider.defaultModel}.`,
  }),
  quota: () => ({
    code: 'provider_quota',
    message: 'The account of the server has no quota left at the provider of the voice.',
  }),
  lost: () => LOST,
  emptyTurn: () => TURN_EMPTY,
  reported: (words) => ({
    code: 'provider_error',
    message: `The provider of the voice reports: ${truncate((key === '' ? words : words.replaceAll(key, '…')) || 'an error without words', PROVIDER_MESSAGE_CHARS_MAX)}`,
  }),
})

export const LOST: VoiceFault = {
  code: 'provider_lost',
  message:
    'The provider of the voice cannot be reached. Nothing that the session has said or heard is lost; speak again.',
}

export const TURN_EMPTY: VoiceFault = {
  code: 'turn_empty',
  message: 'The turn has no audio, or less than 100 ms of it. Send audio before its end.',
}

export const connectionFault = (error: unknown, faults: ProviderFaults): VoiceFault => {
  const status = error instanceof ProviderRefusal ? error.status : null
  if (status === 401 || status === 403) return faults.key()
  if (status === 400 || status === 404) return faults.model()
  return faults.lost()
}

/** Faults that a retry would meet again, so the line closes. */
export const isFinalFault = ({ code }: VoiceFault): boolean => FINAL_CODES.has(code)

const FINAL_CODES: ReadonlySet<string> = new Set(['provider_key', 'provider_model', 'provider_quota'])

const REASONS: { readonly [code: string]: ModelErrorReason } = {
  provider_key: 'auth',
  provider_model: 'refused',
  provider_quota: 'refused',
}

export const faultError = ({ code, message }: VoiceFault): ModelError =>
  new ModelError(REASONS[code] ?? 'unavailable', message)
