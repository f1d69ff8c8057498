// Faults of a provider, as a client reads them. The provider's own words about a key stay here: they may contain a part of it.
import { ModelError, type ModelErrorReason } from '../../agents/model/model-error.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { VoiceFault } from '../../kernel/ports/voice.ts'
import { truncate } from '../../kernel/text/truncate.ts'
import { PROVIDER_MESSAGE_CHARS_MAX } from '../limits.ts'
import { textOf } from './provider-json.ts'
import { ProviderRefusal } from './provider-socket.ts'

/** The provider's code for a turn without audio. */
export const EMPTY_TURN = 'input_audio_buffer_commit_empty'

/** A fault for which the line has to end: the next try would meet the same answer. */
export const isFinalFault = ({ code }: VoiceFault): boolean => FINAL_CODES.has(code)

const FINAL_CODES: ReadonlySet<string> = new Set(['provider_key', 'provider_model', 'provider_quota'])

export const keyFault = (): VoiceFault => ({
  code: 'provider_key',
  message: 'The provider of the voice does not accept the key of the server. Its operator sets OPENAI_API_KEY.',
})

export const modelFault = (model: string): VoiceFault => ({
  code: 'provider_model',
  message: `The provider has no realtime model "${model}" for this server. Name another one with ?model=, such as gpt-realtime.`,
})

export const lostFault = (): VoiceFault => ({
  code: 'provider_lost',
  message:
    'The provider of the voice cannot be reached. Nothing that the session has said or heard is lost; speak again.',
})

const quotaFault = (): VoiceFault => ({
  code: 'provider_quota',
  message: 'The account of the server has no quota left at the provider of the voice.',
})

/** A connection that failed. */
export const connectionFault = (error: unknown, model: string): VoiceFault => {
  const status = error instanceof ProviderRefusal ? error.status : null
  if (status === 401 || status === 403) return keyFault()
  if (status === 400 || status === 404) return modelFault(model)
  return lostFault()
}

const FAULT_BY_CODE: { readonly [code: string]: (model: string) => VoiceFault } = {
  invalid_api_key: keyFault,
  authentication_error: keyFault,
  model_not_found: modelFault,
  invalid_model: modelFault,
  insufficient_quota: quotaFault,
  session_expired: lostFault,
  server_error: lostFault,
  [EMPTY_TURN]: () => ({
    code: 'turn_empty',
    message: 'The turn has no audio, or less than 100 ms of it. Send audio before its end.',
  }),
}

/** An `error` of the provider's event, or of a response that failed. */
export const eventFault = (error: JsonObject, model: string): VoiceFault => {
  const [code, type] = [textOf(error.code), textOf(error.type)]
  const known = [code, type].find((each) => Object.hasOwn(FAULT_BY_CODE, each))
  if (known !== undefined) return FAULT_BY_CODE[known]!(model)
  return {
    code: 'provider_error',
    message: `The provider of the voice reports: ${truncate(textOf(error.message) || code || 'an error without words', PROVIDER_MESSAGE_CHARS_MAX)}`,
  }
}

const REASONS: { readonly [code: string]: ModelErrorReason } = {
  provider_key: 'auth',
  provider_model: 'refused',
  provider_quota: 'refused',
}

export const faultError = ({ code, message }: VoiceFault): ModelError =>
  new ModelError(REASONS[code] ?? 'unavailable', message)
