// npm run build: `packages/bridle/dist`, with JavaScript, the declarations that a user can reach, the pages, and the cockpit.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePublicDeclarations } from './build-declarations.ts'
import { copyPages } from './build-docs.ts'
import { publishOutput } from './package-output.ts'
import { root } from './source-files.ts'

const folder = join(root, 'packages/bridle')
const dist = join(folder, 'dist')
const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: 'inherit', cwd: root })
}

rmSync(dist, { recursive: true, force: true })
const emitted = join(folder, '.types/build')
rmSync(emitted, { recursive: true, force: true })
run('tsc', '-p', join(folder, 'tsconfig.build.json'), '--outDir', emitted)
publishOutput(emitted, dist)
writePublicDeclarations(folder)
copyPages(join(folder, 'docs'))
run('vite', 'build', '--config', 'apps/cockpit/vite.config.ts', '--outDir', join(dist, 'cockpit'), '--logLevel', 'warn')
