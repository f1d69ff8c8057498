// The model of your agent: the one that BRIDLE_MODEL names, or a practice model that needs no key and no network.
import type { ModelChoice } from 'bridle'
import { type ScriptAnswer, type ScriptRequest, scriptedModel } from 'bridle/testing'

/** A few rules in place of a model. They see what a model would see: the conversation, and the results of tools. */
const practice = ({ messages, prompt, results }: ScriptRequest): ScriptAnswer | string => {
  const [result] = results
  if (result) return result.output.type === 'text' ? lastLine(result.output.value) : 'Then I leave it.'
  const [, to, text] = /^send a note to (\w+):? (.+)/i.exec(prompt) ?? []
  if (to && text) return { text: 'I write it down. ', calls: [{ tool: 'send_note', input: { to, text } }] }
  const name = nameIn(JSON.stringify(messages.filter(({ role }) => role === 'user')))
  if (/what is my name/i.test(prompt)) return name ? `Your name is ${name}.` : 'You have not told me.'
  if (nameIn(prompt)) return `Nice to meet you, ${nameIn(prompt)}.`
  return 'I am a practice model. Say "My name is Ada", ask "What is my name?", or say "Send a note to Bob: lunch at noon".'
}

/** The tool answers with one line. A note for the model may stand above it, such as the one about arguments that a person has changed. */
const lastLine = (text: string): string => text.split('\n').at(-1) ?? ''

const nameIn = (text: string): string | undefined => /my name is (\w+)/i.exec(text)?.[1]

const { BRIDLE_MODEL: name } = process.env

export const model: ModelChoice = name ? (name as ModelChoice) : scriptedModel(practice)
