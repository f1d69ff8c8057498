// Texts with a name: skills, sub-agents and commands. Of their front matter only name, description and argument hint count.
import { isSkillName } from '@bridle/agents/skills/skill'
import type { FolderTexts, FoundText } from './folder-texts.ts'
import { type FrontMatter, parseFrontMatter } from './front-matter.ts'

/** Commands in folders inside each other: `git/branch/new.md`. */
const COMMAND_DEPTH_MAX = 4

export interface NamedText {
  readonly name: string
  readonly description: string
  /** Relative to the folder that was read, with `/`. */
  readonly path: string
  /** The text without its front matter. */
  readonly text: string
  readonly argumentHint?: string
}

export type OnFrontMatter = (path: string, ignored: readonly string[]) => void

/** The skills of a folder: each is a folder with a SKILL.md. */
export const skillsIn = (texts: FolderTexts, folder: string, onFrontMatter: OnFrontMatter): readonly NamedText[] =>
  texts.entries(folder).flatMap(({ name: own, kind }) => {
    // A link is read too, so that it is left out with a reason.
    if (kind !== 'folder' && kind !== 'link') return []
    const found = texts.read(join(folder, own, 'SKILL.md'))
    return found ? describedText(texts, found, own, onFrontMatter) : []
  })

/** The sub-agents of a folder: each is a file. */
export const subagentsIn = (texts: FolderTexts, folder: string, onFrontMatter: OnFrontMatter): readonly NamedText[] =>
  texts.entries(folder).flatMap(({ name: own }) => {
    if (!own.endsWith('.md')) return []
    const found = texts.read(join(folder, own))
    return found ? describedText(texts, found, own.slice(0, -3), onFrontMatter).filter(hasText(texts)) : []
  })

/** An engine refuses a sub-agent without instructions. */
const hasText =
  (texts: FolderTexts) =>
  ({ path, text }: NamedText): boolean => {
    if (text.trim() !== '') return true
    texts.leaveOut(path, 'has no text')
    return false
  }

/** The commands of a folder: each is a file, and a folder in it is a part of their names. */
export const commandsIn = (
  texts: FolderTexts,
  folder: string,
  onFrontMatter: OnFrontMatter,
  prefix = '',
): readonly NamedText[] =>
  texts.entries(folder).flatMap(({ name: own, kind }) => {
    const path = join(folder, own)
    if (kind === 'folder')
      return prefix.split(':').length > COMMAND_DEPTH_MAX
        ? []
        : commandsIn(texts, path, onFrontMatter, `${prefix}${own}:`)
    if (!own.endsWith('.md')) return []
    const found = texts.read(path)
    if (!found) return []
    const front = readFront(found, onFrontMatter)
    const description = front.description ?? firstLineOf(front.body)
    return named(texts, found, front, `${prefix}${own.slice(0, -3)}`, description)
  })

/** A text that the model finds by its description. */
const describedText = (
  texts: FolderTexts,
  found: FoundText,
  fallback: string,
  onFrontMatter: OnFrontMatter,
): readonly NamedText[] => {
  const front = readFront(found, onFrontMatter)
  if (front.description !== undefined)
    return named(texts, found, front, isSkillName(front.name) ? front.name : fallback, front.description)
  texts.leaveOut(found.path, 'has no description')
  return []
}

const readFront = ({ path, text }: FoundText, onFrontMatter: OnFrontMatter): FrontMatter => {
  const front = parseFrontMatter(text)
  if (front.ignored.length > 0) onFrontMatter(path, front.ignored)
  return front
}

const named = (
  texts: FolderTexts,
  { path }: FoundText,
  { argumentHint, body: text }: FrontMatter,
  name: string,
  description: string,
): readonly NamedText[] => {
  if (isSkillName(name)) return [{ name, description, path, text, ...(argumentHint !== undefined && { argumentHint }) }]
  texts.leaveOut(path, 'has a name other than letters, digits, "-", "_", "." and ":"')
  return []
}

/** The first texts of each name; the others are left out. */
export const withoutRepeats = (texts: FolderTexts, found: readonly NamedText[]): readonly NamedText[] => {
  const first = new Map<string, NamedText>()
  return found.filter((each) => {
    const earlier = first.get(each.name)
    if (!earlier) first.set(each.name, each)
    // A team may keep a copy of each skill for every engine.
    else if (earlier.text !== each.text) texts.leaveOut(each.path, `has the name of ${earlier.path}`)
    return !earlier
  })
}

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/')

/** A description of a command that has none. */
const firstLineOf = (body: string): string => {
  const line = body.split(/\r\n|\n|\r/).find((each) => each.trim() !== '') ?? ''
  return line
    .replace(/^[#\s]+/, '')
    .slice(0, 200)
    .toWellFormed()
}
