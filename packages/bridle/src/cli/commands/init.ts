// `bridle init` writes a project of one's own. It never overwrites a file, and asks nothing of the network.
import { existsSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { defineCommand, EXIT_CODES, ExitError } from '../command.ts'
import { chooseTemplate } from '../init/choose-template.ts'
import { nextSteps } from '../init/next-steps.ts'
import { packageSource } from '../init/package-source.ts'
import { isTemplate, TEMPLATES } from '../init/templates.ts'
import { writeProject } from '../init/write-project.ts'

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
      throw new ExitError(
        EXIT_CODES.usage,
        `There is no template "${template}"; ${Object.keys(TEMPLATES).join(', ')} are.`,
      )
    if (existsSync(folder) && !statSync(folder).isDirectory())
      throw new ExitError(EXIT_CODES.usage, `${name} is a file, not a folder.`)
    const source = packageSource()
    if (source.kind === 'unpacked')
      throw new ExitError(
        EXIT_CODES.failed,
        `Bridle is not on npm yet, so a project takes the package with it. Make the package first: npm run pack, in ${source.checkout}`,
      )
    const chosen = template ?? (out.canAsk ? await chooseTemplate(out) : 'agent')
    if (chosen === null) throw new ExitError(EXIT_CODES.interrupted, 'Nothing was written.')
    const written = writeProject({ folder, template: chosen, source })
    if ('problem' in written) throw new ExitError(EXIT_CODES.usage, written.problem)
    const where = relative('.', folder)
    out.line(`${written.count} files for the template ${chosen} are in ${where || 'this folder'}. Next:\n`)
    const userAgent = env.npm_config_user_agent
    for (const step of nextSteps({ where, template: chosen, source, userAgent })) out.line(`  ${step}`)
    out.line('')
    if (source.kind === 'unknown')
      out.line('Bridle is not on npm yet: PATH is the folder of the package that you installed.')
    out.line(`README.md${where === '' ? '' : ' there'} says what to try.`)
    return EXIT_CODES.ok
  },
})
