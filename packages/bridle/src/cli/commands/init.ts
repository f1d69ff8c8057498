// `bridle init` writes a project of one's own. It never overwrites a file, and asks nothing of the network.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { defineCommand, EXIT_CODES, ExitError } from '../command.ts'
import { chooseTemplate } from '../init/choose-template.ts'
import { type PackageSource, packageSource } from '../init/package-source.ts'
import { projectManifest } from '../init/project-manifest.ts'
import { findInTheWay, isTemplate, TEMPLATES, templateFiles, writeFiles } from '../init/templates.ts'

export const init = defineCommand({
  summary: 'write a project of your own: an agent, a chat page, or an app with Claude Code behind it',
  argumentNames: ['[folder]'],
  options: {
    template: {
      type: 'string',
      value: 'NAME',
      help: 'agent (default), chat or claude; on a terminal you are asked',
    },
  },
  notes: `${Object.entries(TEMPLATES)
    .map(([name, summary]) => `  ${name.padEnd(8)} ${summary}`)
    .join('\n')}

The folder is this one where none is named. Files that are there are never overwritten; package.json gets what is missing.`,
  run: async ({ args, flags, out }) => {
    const { template } = flags
    const [name = '.'] = args
    const folder = resolve(name)
    if (template !== undefined && !isTemplate(template))
      throw usage(`There is no template "${template}"; ${Object.keys(TEMPLATES).join(', ')} are.`)
    const source = packageSource()
    if (source.kind === 'unpacked')
      throw new ExitError(
        EXIT_CODES.failed,
        `Bridle is not on npm yet, so a project takes the package with it. Make the package first: npm run pack (in ${source.checkout})`,
      )
    if (existsSync(folder) && !statSync(folder).isDirectory()) throw usage(`${name} is a file.`)
    const chosen = template ?? (out.canAsk ? await chooseTemplate(out) : 'agent')
    if (chosen === null) throw new ExitError(EXIT_CODES.interrupted, 'Nothing was written.')

    const files = new Map(templateFiles(chosen))
    const manifestFile = join(folder, 'package.json')
    const present = existsSync(manifestFile) ? readFileSync(manifestFile, 'utf8') : null
    const { spec, vendored } = dependency(source, folder)
    const manifest = projectManifest(files.get('package.json') ?? '', {
      name: packageName(basename(folder)),
      bridle: spec,
      present,
    })
    if ('problem' in manifest) throw usage(manifest.problem)
    files.delete('package.json')
    // A test or an agent that is there may have another purpose than the one that would be written beside it.
    const inTheWay = findInTheWay(folder, files.keys())
    if (inTheWay.length > 0)
      throw usage(`${inTheWay.join(', ')} would be overwritten. Nothing was written; choose another folder.`)

    mkdirSync(folder, { recursive: true })
    writeFiles(folder, withTitle(files, (JSON.parse(manifest.text) as { name?: string }).name ?? basename(folder)))
    writeFileSync(manifestFile, manifest.text)
    if (vendored !== null) vendor(vendored, folder)
    const where = relative('.', folder)
    out.line(`${chosen}: ${files.size + 1} files in ${where === '' ? 'this folder' : where}. Next:`)
    out.line('')
    const steps = [
      ...(where === '' ? [] : [`cd ${quoted(where)}`]),
      ...(source.kind === 'unknown'
        ? [`npm install <path>/bridle-${source.version}.tgz   # it is not on npm yet`]
        : []),
      'npm install',
      'npm run dev',
    ]
    for (const step of steps) out.line(`  ${step}`)
    out.line('')
    out.line('README.md there says more.')
    return EXIT_CODES.ok
  },
})

const usage = (problem: string): ExitError => new ExitError(EXIT_CODES.usage, problem)

/** A tarball lies in the project, so that the project installs on every machine, and in an image. */
const dependency = (source: Exclude<PackageSource, { kind: 'unpacked' }>, folder: string) => {
  if (source.kind !== 'tarball') return { spec: source.version, vendored: null }
  const isInside = !relative(folder, source.file).startsWith('..')
  const path = isInside ? relative(folder, source.file).replaceAll('\\', '/') : `vendor/${basename(source.file)}`
  return { spec: `file:${path}`, vendored: isInside ? null : source.file }
}

const vendor = (file: string, folder: string): void => {
  mkdirSync(join(folder, 'vendor'), { recursive: true })
  if (!readdirSync(join(folder, 'vendor')).includes(basename(file)))
    copyFileSync(file, join(folder, 'vendor', basename(file)))
}

const withTitle = (files: ReadonlyMap<string, string>, title: string): ReadonlyMap<string, string> =>
  new Map([...files].map(([path, text]) => [path, path === 'README.md' ? text.replace(/^# .*/, `# ${title}`) : text]))

/** The folder's name, reduced to the characters that a package's name may have. */
const packageName = (folder: string): string =>
  folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '') || 'my-app'

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
