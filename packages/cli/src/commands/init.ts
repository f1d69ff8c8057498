// Works offline and never overwrites a file.
import { existsSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { defineCommand, EXIT_CODES, ExitError, failure, usageError } from '../command/command.ts'
import { shellWord } from '../command/shell-word.ts'
import { type PackageSource, packageSource } from '../init/package-source.ts'
import { isTemplate, TEMPLATES, type TemplateName } from '../init/templates.ts'
import { writeProject } from '../init/write-project.ts'
import { type CliOutput, escapeControls } from '../terminal/output.ts'

const templates = Object.entries(TEMPLATES).map(([name, summary]) => `  ${name.padEnd(8)} ${summary}`)

export const init = defineCommand({
  options: {
    template: { type: 'string', value: 'NAME', help: 'agent (default), chat or claude; on a terminal you are asked' },
  },
  notes: `${templates.join('\n')}

The folder is this one where none is named. Files that are there are never overwritten; package.json gets what is missing.`,
  run: async ({ args, flags: { template }, env, out }) => {
    const [name = '.'] = args
    const folder = resolve(name)
    if (template !== undefined && !isTemplate(template))
      throw usageError(`There is no template "${template}"; ${Object.keys(TEMPLATES).join(', ')} are.`)
    if (existsSync(folder) && !statSync(folder).isDirectory()) throw usageError(`${name} is a file, not a folder.`)
    const source = packageSource()
    if (source.kind === 'unpacked')
      throw failure(
        `Bridle is not on npm yet, so a project takes the package with it. Make the package first: npm run pack, in ${source.checkout}`,
      )
    const chosen = template ?? (out.canAsk ? await chooseTemplate(out) : 'agent')
    if (chosen === null) throw new ExitError(EXIT_CODES.interrupted, 'Nothing was written.')
    const written = writeProject({ folder, template: chosen, source })
    if ('problem' in written) throw usageError(written.problem)
    const where = relative('.', folder)
    out.line(`${written.count} files for the template ${chosen} are in ${where || 'this folder'}. Next:\n`)
    const userAgent = env.npm_config_user_agent
    for (const step of nextSteps({ where, template: chosen, source, userAgent })) out.line(`  ${step}`)
    out.line('')
    if (source.kind === 'unknown')
      out.line('Bridle is not on npm yet: PATH is the folder of the package that you installed.')
    out.line(`README.md${where === '' ? '' : ' there'} says what to try.`)
  },
})

/** Accepts a number or a name; Enter selects the first. Null if stdin ended. */
export const chooseTemplate = async (
  out: Pick<CliOutput, 'line' | 'write' | 'style'>,
  input: NodeJS.ReadableStream = process.stdin,
): Promise<TemplateName | null> => {
  const names = Object.keys(TEMPLATES) as TemplateName[]
  const width = Math.max(...names.map((name) => name.length))
  for (const [index, name] of names.entries())
    out.line(`  ${index + 1}  ${out.style('bold', name.padEnd(width))}  ${TEMPLATES[name]}`)
  const question = `Which one? [1-${names.length}, Enter for ${names[0]}] `
  const lines = createInterface({ input, terminal: false })
  try {
    out.write(question)
    for await (const line of lines) {
      const typed = line.trim().toLowerCase()
      const chosen = typed === '' ? names[0] : (names[Number(typed) - 1] ?? typed)
      if (chosen !== undefined && isTemplate(chosen)) return chosen
      out.write(`There is no "${escapeControls(line.trim())}" here. ${question}`)
    }
    return null
  } finally {
    lines.close()
    // An open stdin would keep the process alive.
    input.pause()
  }
}

export const nextSteps = ({
  where,
  template,
  source,
  userAgent = '',
}: {
  /** The project folder relative to here. Empty if it is the current one. */
  readonly where: string
  readonly template: TemplateName
  readonly source: PackageSource
  /** `npm_config_user_agent`, which contains npm's Node version. */
  readonly userAgent: string | undefined
}): string[] => [
  ...(where === '' ? [] : [`cd ${shellWord(where)}`]),
  source.kind === 'unknown' ? `npm install PATH/bridle-${source.version}.tgz` : 'npm install',
  // A checkout has its own Node, but the project would use the user's.
  ...(isTooOld(userAgent) ? ['npm install --save-dev node@24'] : []),
  ...SETTINGS[template],
  'npm run dev',
]

/** Extra steps for templates that need settings first. */
const SETTINGS: { readonly [template in TemplateName]: readonly string[] } = {
  agent: [],
  chat: [],
  claude: ['cp .env.example .env   # then write your ANTHROPIC_API_KEY and REPOSITORY into .env'],
}

/** Older than 22.18, the first to run TypeScript. */
const isTooOld = (userAgent: string): boolean => {
  const [, major, minor] = /\bnode\/v(\d+)\.(\d+)/.exec(userAgent)?.map(Number) ?? []
  return major !== undefined && minor !== undefined && (major < 22 || (major === 22 && minor < 18))
}
