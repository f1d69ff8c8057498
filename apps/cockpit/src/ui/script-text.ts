// A prompt of the scripted agent is JSON for a machine: a page names it by its length, and shows it to those who ask.
import { plural } from 'bridle/words'

const PROMPT = /^@script\s*(\[.*)$/s
/** A checkpoint says what was asked and what was answered. */
const QUOTED = /(?<=Asked: )@script\s*(\[.*?)(?= Answered: |$)/s

/** The text with its script folded: `A script of 17 steps`. A script that was cut has no number. */
export const foldScript = (text: string): string =>
  isScript(text)
    ? text.replace(PROMPT, (_all, json: string) => `A script${lengthText(json)}`)
    : text.replace(QUOTED, (_all, json: string) => `a script${lengthText(json)}`)

export const isScript = (text: string): boolean => /^@script\s*\[/.test(text)

const lengthText = (json: string): string => {
  try {
    return ` of ${plural((JSON.parse(json) as unknown[]).length, 'step')}`
  } catch {
    return ''
  }
}

interface NamedSession {
  readonly id: string
  readonly title?: string | null
  readonly branch_source_event_id?: string | null
}

/** The name of a session: its title, which may be the beginning of its prompt, or else its id. A branch has the title of its origin, and says so. */
export const titleText = ({ id, title, branch_source_event_id: source = null }: NamedSession): string =>
  title ? `${foldScript(title)}${source === null ? '' : ' (branch)'}` : id
