// npm run pack [-- folder]: the package as a file, bridle-<version>.tgz, in the root of the checkout or in the folder. Projects install
// it while the package is not on npm.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')
// npm changes to the root; the folder is meant from where the command was typed.
const from = process.env.INIT_CWD ?? '.'
const { name, version } = JSON.parse(readFileSync(join(root, 'packages/bridle/package.json'), 'utf8')) as {
  name: string
  version: string
}
const folder = process.argv[2] === undefined ? root : resolve(from, process.argv[2])
mkdirSync(folder, { recursive: true })
console.log('Building the package, its types and the cockpit. This may take half a minute …')
// `prepack` builds it first.
execFileSync('npm', ['pack', '--silent', '--workspace', name, '--pack-destination', folder], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
})
const tarball = join(folder, `${name}-${version}.tgz`)
const path = relative(from, tarball)
console.log(`${path} is the package. Next, for a project of your own beside this folder:

  npx --yes ${path.startsWith('..') ? path : `./${path}`} init ../my-app
`)
