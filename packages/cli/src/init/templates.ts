import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageFolder } from '@bridle/system/package-folder'

/** Same relative path in source and build. */
const ROOT = join(packageFolder, 'templates')

export const TEMPLATES = {
  agent: 'an agent of your own, with memory, and a tool that asks first',
  chat: 'a chat page in React, with a server and an agent behind it',
  claude: 'an app with Claude Code behind it, on a repository of yours',
} as const

export type TemplateName = keyof typeof TEMPLATES

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(TEMPLATES, name)

/** npm omits or interprets files with these names. */
const DOTTED = { _gitignore: '.gitignore', _dockerignore: '.dockerignore', '_env.example': '.env.example' } as const

export const templateFiles = (name: TemplateName): ReadonlyMap<string, string> => {
  const folder = join(ROOT, name)
  const paths = globSync('**/*.*', { cwd: folder, exclude: (path) => path === 'node_modules' })
  const files = [...paths, '_gitignore', '_dockerignore'].map((path) => path.replaceAll('\\', '/')).sort()
  return new Map(
    files.map((path) => [
      Object.hasOwn(DOTTED, path) ? DOTTED[path as keyof typeof DOTTED] : path,
      readFileSync(join(folder, path), 'utf8'),
    ]),
  )
}

export const findInTheWay = (folder: string, paths: Iterable<string>): string[] =>
  [...paths].filter((path) => existsSync(join(folder, path)))

export const writeFiles = (folder: string, files: ReadonlyMap<string, string>): void => {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    // Never overwrite, even if the file was created in the meantime.
    writeFileSync(join(folder, path), text, { flag: 'wx' })
  }
}
