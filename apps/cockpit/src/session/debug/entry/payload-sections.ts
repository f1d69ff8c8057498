// The payload of an entry as somebody reads it: short values beside their names, texts with their line breaks, and one level of what is inside.

import type { LogEntry } from 'bridle/history'
import { nameText } from 'bridle/words'

/** A longer text stands below its name, not beside it. */
const FACT_CHARS = 60

export interface PayloadSection {
  /** Empty for the payload itself. */
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly texts: readonly (readonly [name: string, text: string])[]
}

export const payloadSections = ({ payload }: Pick<LogEntry, 'payload'>): readonly PayloadSection[] => {
  const inner = Object.entries(payload).flatMap(([name, value]) =>
    isRecord(value) && Object.keys(value).length > 0 ? [sectionOf(nameText(name), value)] : [],
  )
  return [sectionOf('', payload), ...inner].filter(({ facts, texts }) => facts.length + texts.length > 0)
}

const sectionOf = (title: string, record: { readonly [name: string]: unknown }): PayloadSection => {
  const facts: (readonly [string, string])[] = []
  const texts: (readonly [string, string])[] = []
  for (const [name, value] of Object.entries(record)) {
    // On the first level a record is a section of its own.
    if (value === null || value === undefined || (title === '' && isRecord(value))) continue
    const text = textOf(value)
    if (text === '') continue
    if (text.length > FACT_CHARS || text.includes('\n')) texts.push([nameText(name), text])
    else facts.push([nameText(name), text])
  }
  return { title, facts, texts }
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
