// The model: the one that BRIDLE_MODEL names, or a script that needs no key and answers as a model would.
import type { ModelChoice } from 'bridle'
import { type ModelToolOutput, type ScriptAnswer, type ScriptRequest, scriptedModel } from 'bridle/testing'

const answer = ({ messages, prompt }: ScriptRequest): ScriptAnswer => {
  const { number, title } = JSON.parse(prompt) as { number: number; title: string }
  const found = resultOf(messages, 'search_issues')
  if (found === undefined) return { calls: [{ tool: 'search_issues', input: { title } }] }

  const others = found.type === 'json' ? (found.value as number[]).filter((each) => each !== number) : []
  const [duplicateOf = null] = others
  const closing = resultOf(messages, 'close_issue')
  if (duplicateOf !== null && closing === undefined)
    return {
      text: `#${number} looks like #${duplicateOf}. `,
      calls: [{ tool: 'close_issue', input: { number, comment: `Duplicate of #${duplicateOf}.` } }],
    }
  const closed = closing !== undefined && closing.type !== 'error-text'
  return { calls: [{ tool: 'answer', input: { severity: severityOf(title), duplicateOf, closed } }] }
}

const severityOf = (title: string): string => {
  if (/crash|lost|security/i.test(title)) return 'high'
  return /slow|wrong|error/i.test(title) ? 'medium' : 'low'
}

const resultOf = (messages: ScriptRequest['messages'], tool: string): ModelToolOutput | undefined =>
  messages
    .flatMap(({ role, content }) => (role === 'tool' ? content : []))
    .findLast(({ toolName }) => toolName === tool)?.output

const { BRIDLE_MODEL: name } = process.env

export const model: ModelChoice = name ? (name as ModelChoice) : scriptedModel(answer)
