// A question of middleware to a model: a request of its own, which the conversation does not show.
import type { ReportItem } from '../../../kernel/commands.ts'
import { present } from '../../../kernel/json.ts'
import type { ModelQuestion } from '../../middleware/middleware.ts'
import { answerText } from '../../model/model.ts'
import { chooseModel } from '../../model/model-choice.ts'
import { thinkInSpan } from '../../trace/spans.ts'
import { requestUsageItem } from '../context/usage.ts'
import type { LoopRun } from '../loop-run.ts'
import { textMessage } from '../transcript/rendering.ts'

export const answerQuestion = async (
  run: LoopRun,
  { prompt, instructions, model, maxOutputTokens }: ModelQuestion,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly usage: ReportItem }> => {
  const { definition, ports, transcript, job } = run
  if (typeof prompt !== 'string') throw new TypeError('ask() takes { prompt } with a text.')
  const isOwn = model === undefined
  const models = isOwn ? (definition.model ?? []) : [model]
  const chosen = await chooseModel(models, isOwn ? transcript.turn.model : 0, ports.resolveModel)
  const thought = await thinkInSpan(
    run,
    chosen,
    {
      messages: [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions } as const]),
        textMessage(prompt),
      ],
      tools: [],
      settings: { ...(isOwn && definition.settings), ...present({ maxOutputTokens }) },
      signal,
    },
    (n) => `${job.runId}.question.${n}`,
  )
  return {
    text: answerText(thought.content),
    usage: requestUsageItem(chosen.modelId, thought.usage, null),
  }
}
