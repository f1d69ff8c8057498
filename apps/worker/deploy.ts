// `npm run deploy` and `npm run dev`: the same command of wrangler, with the web app where it was built. A configuration cannot say "if the folder is there",
// so for as long as wrangler runs there is one that has it.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname
const files = '../cockpit/dist'
const isDev = process.argv[2] === 'dev'
const given = process.argv.slice(isDev ? 3 : 2)
const at = given.indexOf('--config')
const [config = 'wrangler.jsonc', rest] = at < 0 ? ['wrangler.jsonc', given] : [given[at + 1], given.toSpliced(at, 2)]

const withFiles = (): string => {
  const assets = { directory: files, binding: 'ASSETS', run_worker_first: true }
  const text = readFileSync(join(here, config), 'utf8').replace(/\}\s*$/, `, "assets": ${JSON.stringify(assets)} }\n`)
  const name = `with-cockpit.${config}`
  writeFileSync(join(here, name), text)
  return name
}

const isBuilt = existsSync(join(here, files))
const used = isBuilt ? withFiles() : config
const wrangler = join(here, 'node_modules/wrangler/bin/wrangler.js')
const { status } = spawnSync(process.execPath, [wrangler, isDev ? 'dev' : 'deploy', '--config', used, ...rest], {
  cwd: here,
  stdio: 'inherit',
})
if (isBuilt) rmSync(join(here, used))
process.exitCode = status ?? 1
