// The texts of a repository: instructions, skills, sub-agents and commands. They are text for a model and nothing else: a
// repository cannot allow itself anything, start a program, or have a file outside of it read.
import { realpathSync } from 'node:fs'
import type { InstructionsReport } from '@bridle/events/instructions'
import { canonicalJson } from '@bridle/events/json'
import { FolderTexts, type FoundText, OUTSIDE, sha256 } from './folder-texts.ts'
import { parseFrontMatter } from './front-matter.ts'
import { importsIn, isSurelyPath } from './imports.ts'
import { commandsIn, type NamedText, skillsIn, subagentsIn, withoutRepeats } from './named-texts.ts'
import { repositoryPrompt } from './repository-prompt.ts'

/** An import in an import in an import: as deep as Claude Code goes. */
const IMPORT_DEPTH_MAX = 5

const INSTRUCTIONS = ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md']
const SKILLS = ['.claude/skills', '.agents/skills']

/** Settings of engines in a repository. They are named in the log, and never read. */
const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json', '.codex/config.toml']

export interface RepositoryTexts {
  /** Instructions and their imports, each after the text that imports it. */
  readonly instructions: readonly { readonly path: string; readonly text: string }[]
  readonly skills: readonly NamedText[]
  readonly subagents: readonly NamedText[]
  readonly commands: readonly NamedText[]
  /** Changes with everything that an engine is given of the texts. */
  readonly digest: string
}

type TextKind = 'instructions' | 'import' | 'skill' | 'subagent' | 'command'

/** Never throws: a run continues without the texts that cannot be read. `hidden`: paths in the folder that are not read. */
export const readRepository = (
  workFolder: string,
  hidden: readonly string[] = [],
): { readonly texts: RepositoryTexts; readonly loaded: InstructionsReport } => {
  try {
    return FolderTexts.use(realpathSync.native(workFolder), hidden.map(realPathOr), readAll)
  } catch {
    const left_out = [{ path: '.', reason: 'could not be read' }]
    return { texts: NO_TEXTS, loaded: { files: [], left_out, ignored: [] } }
  }
}

const realPathOr = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

const readAll = (texts: FolderTexts) => {
  const ignored = new Map<string, readonly string[]>()
  for (const path of SETTINGS) if (texts.has(path)) ignored.set(path, [])
  const onFrontMatter = (path: string, keys: readonly string[]) => void ignored.set(path, keys)
  const found: { readonly kind: TextKind; readonly path: string }[] = []
  const keep = (kind: TextKind, named: readonly NamedText[]) => {
    const kept = withoutRepeats(texts, named)
    found.push(...kept.map(({ path }) => ({ kind, path })))
    return kept
  }
  const instructions: { readonly path: string; readonly text: string }[] = []
  const addInstructions = (read: FoundText, kind: 'instructions' | 'import', depth: number): void => {
    const { path } = read
    const { body, ignored: keys } = parseFrontMatter(read.text)
    if (keys.length > 0) onFrontMatter(path, keys)
    found.push({ kind, path })
    instructions.push({ path, text: body.trim() })
    for (const target of importsIn(body, path)) {
      if ('isOutside' in target) texts.leaveOut(`@${target.written}`, OUTSIDE)
      // A text that is there already, or that could not be read, is not read again: imports may form a loop.
      else if (!texts.isRead(target.path)) addImport(target, depth + 1)
    }
  }
  const addImport = ({ path, written }: { path: string; written: string }, depth: number): void => {
    if (depth > IMPORT_DEPTH_MAX) return texts.leaveOut(path, `is imported more than ${IMPORT_DEPTH_MAX} files deep`)
    const before = texts.leftOut.length
    const read = texts.read(path)
    if (read) addInstructions(read, 'import', depth)
    else if (isSurelyPath(written) && !texts.isFull && texts.leftOut.length === before)
      texts.leaveOut(path, 'is imported and missing')
  }
  for (const path of INSTRUCTIONS) {
    const read = texts.isRead(path) ? null : texts.read(path)
    if (read) addInstructions(read, 'instructions', 0)
  }
  const skills = keep(
    'skill',
    SKILLS.flatMap((folder) => skillsIn(texts, folder, onFrontMatter)),
  )
  const subagents = keep('subagent', subagentsIn(texts, '.claude/agents', onFrontMatter))
  const commands = keep('command', commandsIn(texts, '.claude/commands', onFrontMatter))
  return {
    texts: withDigest({ instructions, skills, subagents, commands }),
    loaded: {
      files: found.flatMap(({ kind, path }) => {
        const read = texts.read(path)
        return read ? [{ path, kind, digest: read.digest, bytes: read.bytes }] : []
      }),
      left_out: texts.leftOut.map(({ path, reason }) => ({ path, reason })),
      ignored: [...ignored].map(([path, keys]) => ({ path, keys: [...keys] })),
    },
  }
}

const withDigest = (texts: Omit<RepositoryTexts, 'digest'>): RepositoryTexts => {
  const agents = texts.subagents.map(({ name, description, text }) => [name, description, text])
  return { ...texts, digest: sha256(canonicalJson([repositoryPrompt(texts, { listsSubagents: true }), agents])) }
}

const NO_TEXTS = withDigest({ instructions: [], skills: [], subagents: [], commands: [] })
