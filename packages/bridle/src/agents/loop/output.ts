// The end of a turn: the text of the last answer, or the output that the schema of the agent asks for.
import type { ReportItem } from '../../kernel/commands.ts'
import type { AgentDefinition } from '../agent.ts'
import { ANSWER_TOOL } from '../tools/tool.ts'
import { acceptedOutput } from './situation.ts'
import { answerOf } from './toolset/answer.ts'
import { argumentsOf } from './transcript/rendering.ts'
import { OUTPUT_REMINDER, type TurnRecord } from './transcript/turn-record.ts'

export const finishReport = async (definition: AgentDefinition, turn: TurnRecord): Promise<ReportItem> => {
  const accepted = acceptedOutput(turn)
  if (definition.output === null || !accepted) return { type: 'finished', result: lastText(turn) }
  const result = await answerOf(definition.output, argumentsOf(accepted))
  return 'problem' in result
    ? { type: 'failed', message: result.problem, reason: 'output_invalid' }
    : { type: 'finished', result: result.value }
}

const lastText = ({ last }: TurnRecord): string =>
  (last?.content ?? []).map((entry) => (entry.type === 'text' ? entry.text : '')).join('')

export const outputReminder = (): ReportItem => ({
  type: 'event',
  event: {
    type: 'context_added',
    payload: {
      text: `[The turn ends when you call the tool "${ANSWER_TOOL}" with the result. Call it now.]`,
      source: OUTPUT_REMINDER,
    },
  },
})
