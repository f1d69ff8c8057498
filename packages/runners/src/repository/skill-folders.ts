// Skill folders of model agents. They have the format, the opener, and the limits of a repository's skills.
import { realpathSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import type { FoundSkill, SkillFolders } from '@bridle/agents/skills/skill'
import { FolderTexts } from './folder-texts.ts'
import { type NamedText, skillsIn, withoutRepeats } from './named-texts.ts'

/** Reads folders below the root of a project, or at absolute paths. */
export const skillFolders =
  (root: string) =>
  (folders: readonly string[]): SkillFolders => {
    const read = folders.map((folder) => readFolder(root, folder))
    return {
      skills: read.flatMap(({ skills }) => skills),
      files: read.flatMap(({ files }) => files),
      leftOut: read.flatMap(({ leftOut }) => leftOut),
      ignored: read.flatMap(({ ignored }) => ignored),
    }
  }

const readFolder = (root: string, folder: string): SkillFolders => {
  const ignored: { readonly path: string; readonly keys: readonly string[] }[] = []
  const shown = (path: string) => posix.join(folder.replaceAll('\\', '/'), path)
  try {
    const real = realpathSync.native(resolve(root, folder))
    return FolderTexts.use(real, [], (texts) => {
      const onFrontMatter = (path: string, keys: readonly string[]) => void ignored.push({ path: shown(path), keys })
      const found = withoutRepeats(texts, skillsIn(texts, '', onFrontMatter))
      const files = found.flatMap(({ path }) => texts.read(path) ?? [])
      return {
        skills: found.map((text) => foundSkill(real, text)),
        files: files.map(({ path, digest, bytes }) => ({ path: shown(path), digest, bytes })),
        leftOut: texts.leftOut.map(({ path, reason }) => ({ path: shown(path), reason })),
        ignored,
      }
    })
  } catch {
    return { skills: [], files: [], leftOut: [{ path: folder, reason: 'is not a folder that can be read' }], ignored }
  }
}

const foundSkill = (folder: string, { name, description, path, text }: NamedText): FoundSkill => ({
  name,
  description,
  read: (file) => (file === null || file === 'SKILL.md' ? { text } : readBeside(folder, posix.dirname(path), file)),
})

/** A file in the folder of a skill. The skill of another folder is not beside it. */
const readBeside = (folder: string, own: string, file: string): { text: string } | { problem: string } => {
  const path = posix.normalize(file.replaceAll('\\', '/'))
  if (path.startsWith('../') || path === '..' || path.startsWith('/'))
    return { problem: `${file} is outside of the folder of the skill.` }
  try {
    return FolderTexts.use(folder, [], (texts) => {
      const found = texts.read(posix.join(own, path))
      const [leftOut] = texts.leftOut
      return found ?? { problem: leftOut ? `${file} ${leftOut.reason}.` : `The skill has no file ${file}.` }
    })
  } catch {
    return { problem: `${file} could not be read.` }
  }
}
