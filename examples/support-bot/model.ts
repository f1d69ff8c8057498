// The model: the one that BRIDLE_MODEL names, or a script that needs no key and answers as a model would.
import type { ModelChoice } from 'bridle'
import { type ScriptAnswer, type ScriptRequest, scriptedModel } from 'bridle/testing'

const answer = ({ messages, results }: ScriptRequest): ScriptAnswer => {
  const [ticket] = results
  if (ticket) {
    const number = /number\W+(\d+)/.exec(JSON.stringify(ticket.output))?.[1]
    return number
      ? { text: `A person will write to you. Your ticket is number ${number}.` }
      : { text: 'I could not reach a person. Is there anything else that I can do?' }
  }
  const texts = messages.filter(({ role }) => role === 'user').map(textOf)
  const question = texts.findLast((text) => !text.startsWith('[')) ?? ''
  if (/what is my name/i.test(question)) {
    const name = texts.map((text) => /my name is (\w+)/i.exec(text)?.[1]).find(Boolean)
    return { text: name ? `You are ${name}.` : 'You have not told me yet.' }
  }
  if (/my name is/i.test(question)) return { text: 'Nice to meet you. What can I do for you?' }
  const found = /person|human/i.test(question) ? null : firstDocument(texts.at(-1) ?? '')
  return found
    ? { text: `${found.sentence} [${found.id}]`, chunks: 4 }
    : { text: 'I will ask a person. ', calls: [{ tool: 'hand_over', input: { summary: question } }] }
}

const textOf = ({ content }: ScriptRequest['messages'][number]): string =>
  typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('')

/** The id and the first sentence of the best document, as `retrieval` puts it before a model. */
const firstDocument = (note: string): { id: string; sentence: string } | null => {
  const [, id = '', sentence = ''] = /id="([^"]+)"[\s\S]*?# .*\n+([^.]*\.)/.exec(note) ?? []
  return id === '' ? null : { id, sentence: sentence.replaceAll('\n', ' ') }
}

const { BRIDLE_MODEL: name } = process.env

export const model: ModelChoice = name ? (name as ModelChoice) : scriptedModel(answer)
