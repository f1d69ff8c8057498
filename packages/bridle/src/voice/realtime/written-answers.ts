// Answers in writing of a model that speaks: for a prompt that was typed, on a server that has no other model. Each answer has a
// connection of its own, which ends with it.
import type { LanguageModel, ModelCallOptions, ModelStream } from '../../agents/model/model.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import { eventFault, faultError, lostFault } from './faults.ts'
import { realtimeRequest } from './openai/items.ts'
import { DEFAULT_MODEL, WRITTEN_SETTINGS, writtenTurnSettings } from './openai/settings.ts'
import { RealtimeConnection } from './provider-connection.ts'
import { objectOf } from './provider-json.ts'
import { ProviderResponse } from './provider-response.ts'
import type { RealtimeProvider } from './provider-socket.ts'
import { responseRequest } from './response-request.ts'
import { SpokenAnswer } from './spoken-answer.ts'

export const writtenModel = (provider: RealtimeProvider, clock: Clock): LanguageModel => ({
  specificationVersion: 'v4',
  provider: 'openai.realtime',
  modelId: DEFAULT_MODEL,
  doStream: (options) => respond(provider, clock, options),
})

const respond = async (provider: RealtimeProvider, clock: Clock, options: ModelCallOptions): Promise<ModelStream> => {
  const { prompt, tools = [], abortSignal } = options
  let response: ProviderResponse | null = null
  const connection = await RealtimeConnection.open({
    ...{ provider, clock, model: DEFAULT_MODEL, settings: WRITTEN_SETTINGS },
    onEvent: (event) => {
      if (event.type === 'error') response?.fail(faultError(eventFault(objectOf(event.error), DEFAULT_MODEL)))
      else response?.handle(event)
    },
    onLost: () => response?.fail(faultError(lostFault())),
  })
  if ('code' in connection) throw faultError(connection)
  const close = () => connection.close()
  if (abortSignal?.aborted) {
    close()
    abortSignal.throwIfAborted()
  }
  const { conversation } = connection
  response = new ProviderResponse(
    {
      ...{ conversation, model: DEFAULT_MODEL, baseChars: 0, now: () => clock.now() },
      // Nobody hears it.
      ...{ answer: new SpokenAnswer('', 'pcm16'), audio: () => {}, onUnused: () => {} },
    },
    close,
  )
  const { instructions, items } = realtimeRequest(prompt)
  connection.configure(writtenTurnSettings(instructions, tools))
  for (const event of conversation.update(items)) connection.send(event)
  connection.send(responseRequest(options))
  abortSignal?.addEventListener('abort', close, { once: true })
  void response.whenEnded.then(() => {
    abortSignal?.removeEventListener('abort', close)
    close()
  })
  return { stream: response.stream }
}
