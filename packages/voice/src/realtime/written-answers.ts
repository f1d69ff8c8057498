// Text answers of a realtime model, for typed prompts on a server without another model. Each uses its own connection.
import type { LanguageModel, ModelCallOptions, ModelStream } from '@bridle/agents/model/model'
import type { Clock } from '@bridle/kernel/ports/clock'
import { faultError, LOST } from './faults.ts'
import type { ProviderAccess } from './provider.ts'
import { ProviderConnection } from './provider-connection.ts'
import { ProviderResponse } from './provider-response.ts'
import { writtenRequest } from './response-request.ts'
import { SpokenAnswer } from './spoken-answer.ts'

export const writtenModel = (access: ProviderAccess, clock: Clock): LanguageModel => ({
  specificationVersion: 'v4',
  provider: access.provider.label,
  modelId: access.provider.defaultModel,
  doStream: (options) => respond(access, clock, options),
})

const respond = async (access: ProviderAccess, clock: Clock, options: ModelCallOptions): Promise<ModelStream> => {
  const { abortSignal } = options
  let response: ProviderResponse | null = null
  const connection = await ProviderConnection.open({
    ...{ access, clock, model: access.provider.defaultModel, audio: null },
    onEvent: (event) => {
      if (event.type === 'fault') response?.fail(faultError(event.fault))
      else if ('response' in event) response?.handle(event)
    },
    onLost: () => response?.fail(faultError(LOST)),
  })
  if ('code' in connection) throw faultError(connection)
  const close = () => connection.close()
  if (abortSignal?.aborted) {
    close()
    abortSignal.throwIfAborted()
  }
  response = new ProviderResponse(
    {
      ...{ baseChars: 0, now: () => clock.now() },
      ...{ answer: new SpokenAnswer('', 'pcm16'), audio: () => {}, onUnused: () => {} },
    },
    close,
  )
  connection.api.respond(writtenRequest(options))
  abortSignal?.addEventListener('abort', close, { once: true })
  void response.whenEnded.then(() => {
    abortSignal?.removeEventListener('abort', close)
    close()
  })
  return { stream: response.stream }
}
