// `read_skill`: the model reads a skill when a task fits its description, and files that are beside it.
import { isJsonObject, present } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import type { AgentDefinition } from '../../agent.ts'
import type { AgentRunPorts } from '../../run-ports.ts'
import { type SchemaIssue, writtenSchema } from '../../schemas/standard-schema.ts'
import type { FoundSkill, Skill, SkillFolders } from '../../skills/skill.ts'
import { type Tool, tool } from '../../tools/tool.ts'
import { eventItem } from '../calls/call-items.ts'
import { asLoopTool } from '../tools/loop-tools.ts'

export const READ_SKILL = 'read_skill'

/** The skills of a turn. */
export interface OpenSkills {
  /** The part of the instructions that lists them; null: there is none. */
  readonly list: string | null
  readonly tools: readonly Tool[]
  /** The report for the log. */
  readonly items: readonly ReportItem[]
}

export const NO_SKILLS: OpenSkills = { list: null, tools: [], items: [] }

/** Reads the folders of skills. Throws a sentence on a server that reads none. */
export const openSkills = (definition: AgentDefinition, ports: AgentRunPorts): OpenSkills => {
  const { skills } = definition
  if (skills.length === 0) return NO_SKILLS
  const needs = skillsNeed(definition, ports)
  if (needs !== null) throw new Error(needs)
  const folders = foldersOf(definition)
  const found = folders.length > 0 ? ports.skillFolders?.(folders) : undefined
  const values = skills.filter((each) => typeof each !== 'string').map(asFound)
  const all = new Map<string, FoundSkill>()
  for (const each of [...values, ...(found?.skills ?? [])]) if (!all.has(each.name)) all.set(each.name, each)
  const items = found ? [loadedItem(found)] : []
  return all.size === 0 ? { ...NO_SKILLS, items } : { list: listOf([...all.values()]), tools: [readSkill(all)], items }
}

/** Why the skills of an agent cannot be read here, as a sentence; null = they can. */
export const skillsNeed = (
  definition: Pick<AgentDefinition, 'skills'>,
  { skillFolders }: Pick<AgentRunPorts, 'skillFolders'>,
): string | null =>
  skillFolders || foldersOf(definition).length === 0
    ? null
    : 'This server reads no folders of skills. Give the skills as values: skills: [{ name, description, text }].'

const foldersOf = ({ skills }: Pick<AgentDefinition, 'skills'>): readonly string[] =>
  skills.filter((each) => typeof each === 'string')

const asFound = ({ name, description, text }: Skill): FoundSkill => ({
  name,
  description,
  read: (file) =>
    file === null || file === 'SKILL.md' ? { text } : { problem: `The skill "${name}" has no files beside its text.` },
})

const listOf = (skills: readonly FoundSkill[]): string =>
  [
    `# Skills\n\nWhen a task fits the description of a skill, read it with ${READ_SKILL} first, and follow it.`,
    skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n'),
  ].join('\n\n')

const loadedItem = ({ files, leftOut, ignored }: SkillFolders): ReportItem =>
  eventItem('instructions_loaded', {
    files: files.map((file) => ({ ...file, kind: 'skill' })),
    left_out: [...leftOut],
    ignored: ignored.map(({ path, keys }) => ({ path, keys: [...keys] })),
  })

const readSkill = (skills: ReadonlyMap<string, FoundSkill>): Tool =>
  asLoopTool(
    tool({
      name: READ_SKILL,
      description: 'Reads the text of a skill, or of a file that its text names.',
      input: REQUEST,
      effect: 'pure',
      run: ({ name, file = null }) => {
        const skill = skills.get(name)
        if (!skill) throw new Error(`There is no skill "${name}". There are: ${[...skills.keys()].join(', ')}.`)
        const read = skill.read(file)
        if ('problem' in read) throw new Error(read.problem)
        return read.text
      },
    }),
  )

interface SkillRequest {
  readonly name: string
  readonly file?: string
}

const REQUEST = writtenSchema<SkillRequest>(
  () => ({
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name of the skill.' },
      file: { type: 'string', description: 'A file in the folder of the skill. Default SKILL.md.' },
    },
    required: ['name'],
  }),
  (value) => {
    const { name, file } = isJsonObject(value) ? value : {}
    if (typeof name !== 'string' || name === '') return issue('name', 'Expected the name of a skill')
    if (file !== undefined && typeof file !== 'string') return issue('file', 'Expected the path of a file')
    return { value: { name, ...present({ file }) } }
  },
)

const issue = (field: string, message: string): { readonly issues: readonly SchemaIssue[] } => ({
  issues: [{ path: [field], message }],
})
