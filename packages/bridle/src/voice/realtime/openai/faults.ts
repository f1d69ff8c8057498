// Errors of OpenAI's API, by their code or type.
import type { JsonObject } from '../../../kernel/json.ts'
import type { VoiceFault } from '../../../kernel/ports/voice.ts'
import type { ProviderFaults } from '../faults.ts'
import { textOf } from '../provider-json.ts'

const FAULT_BY_CODE: { readonly [code: string]: Exclude<keyof ProviderFaults, 'reported'> } = {
  invalid_api_key: 'key',
  authentication_error: 'key',
  model_not_found: 'model',
  invalid_model: 'model',
  insufficient_quota: 'quota',
  session_expired: 'lost',
  server_error: 'lost',
  input_audio_buffer_commit_empty: 'emptyTurn',
}

/** The fault of an `error` event, or of a response that failed. */
export const faultOf = (error: JsonObject, faults: ProviderFaults): VoiceFault => {
  const [code, type] = [textOf(error.code), textOf(error.type)]
  const known = [code, type].find((each) => Object.hasOwn(FAULT_BY_CODE, each))
  return known === undefined ? faults.reported(textOf(error.message) || code) : faults[FAULT_BY_CODE[known]!]()
}
