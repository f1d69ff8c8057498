// A language model for tests. It follows a script and needs no provider, no key and no network.
import type { LanguageModel } from '../model/model.ts'
import { answerOf, type ModelScript, scriptError, scriptRequest } from './script.ts'
import { answerParts, pause, scriptStream } from './script-stream.ts'

/** How a scripted model presents itself. */
export interface ScriptedModelOptions {
  /** The version of the interface; default `v4`. */
  readonly version?: 'v3' | 'v4'
  /** The name of the provider; default `scripted`. */
  readonly provider?: string
  /** The name of the model; default `script`. */
  readonly modelId?: string
}

/**
 * A model that answers from a script, for tests of an agent. Its answer follows from the prompt alone: a process that continues a
 * session after a crash goes on in the script where the first process was.
 */
export const scriptedModel = (
  script: ModelScript,
  { version = 'v4', provider = 'scripted', modelId = 'script' }: ScriptedModelOptions = {},
): LanguageModel => ({
  specificationVersion: version,
  provider,
  modelId,
  doStream: async ({ prompt, tools = [], abortSignal }) => {
    const answer = await answerOf(script, scriptRequest(prompt, tools))
    // The length of the prompt makes the ids of calls unique in a conversation, and the same in every process.
    const parts = answerParts(answer, `call_${prompt.length}`)
    if (typeof answer.error === 'object' && parts.length === 0) {
      await pause(answer.delayMs, abortSignal)
      throw scriptError(answer.error)
    }
    return { stream: scriptStream(parts, answer, abortSignal) }
  },
})
