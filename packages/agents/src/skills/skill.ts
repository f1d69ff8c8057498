// Skills of a model agent: instructions that the model reads when a task fits them. Names and descriptions are in each request, the
// texts are not.
import { isJsonObject } from '@bridle/events/json'

/** Skills in each request: some 20,000 tokens if each has the longest description. */
const SKILLS_MAX = 64
/** The format of skills allows as much. */
const DESCRIPTION_CHARS_MAX = 1_024
/** A text that fills a quarter of a model's context. */
const TEXT_CHARS_MAX = 256 * 1024

/** A skill that is given as a value, for servers without files. */
export interface Skill {
  /** Letters, digits and `. _ : -`, at most 100. */
  readonly name: string
  /** When the skill helps. The model reads it in each request. */
  readonly description: string
  /** The text that the model reads when a task fits the description. */
  readonly text: string
}

/** A skill, or the path of a folder with skills: each is a folder with a `SKILL.md`. */
export type SkillChoice = string | Skill

/** The skills of some folders, as they are when a turn begins. */
export interface SkillFolders {
  readonly skills: readonly FoundSkill[]
  readonly files: readonly { readonly path: string; readonly digest: string; readonly bytes: number }[]
  /** Files that are left out. The reason follows the path: `skills/a/SKILL.md` `has no description`. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[]
  readonly ignored: readonly { readonly path: string; readonly keys: readonly string[] }[]
}

export interface FoundSkill extends Pick<Skill, 'name' | 'description'> {
  /** The text of the skill, or of a file in its folder. A problem is a sentence for the model. */
  read(file: string | null): { readonly text: string } | { readonly problem: string }
}

/** Names are keys of objects and words of prompts. */
export const isSkillName = (name: unknown): name is string =>
  typeof name === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(name) && !(name in {})

/** The first thing that is wrong with the skills of an agent, as a sentence; null = nothing. */
export const skillsProblem = (name: string, skills: unknown): string | null => {
  if (skills === undefined) return null
  if (!Array.isArray(skills)) return `the skills of "${name}" are not a list.`
  if (skills.length > SKILLS_MAX) return `"${name}" has more than ${SKILLS_MAX} skills.`
  const names = new Set<string>()
  for (const each of skills as readonly unknown[]) {
    if (typeof each === 'string' ? each !== '' : isJsonObject(each)) {
      const problem = typeof each === 'string' ? null : skillProblem(each as { readonly [field: string]: unknown })
      if (problem !== null) return `the skills of "${name}": ${problem}`
    } else return `the skills of "${name}" have an entry that is neither a folder nor { name, description, text }.`
    const own = typeof each === 'string' ? null : (each as unknown as Skill).name
    if (own !== null && names.has(own)) return `"${name}" has two skills with the name "${own}".`
    if (own !== null) names.add(own)
  }
  return null
}

const skillProblem = ({ name, description, text }: { readonly [field: string]: unknown }): string | null => {
  if (!isSkillName(name)) return 'a name has letters, digits and . _ : - and at most 100 of them.'
  if (typeof description !== 'string' || description === '' || description.length > DESCRIPTION_CHARS_MAX)
    return `the description of "${name}" is not a text of at most ${DESCRIPTION_CHARS_MAX} characters.`
  return typeof text === 'string' && text.length <= TEXT_CHARS_MAX
    ? null
    : `the text of "${name}" is not a text of at most ${TEXT_CHARS_MAX} characters.`
}
