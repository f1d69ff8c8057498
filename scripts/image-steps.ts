// The steps of a Dockerfile, played in a folder that stands for the root of the container: no Docker, and nothing outside of the folder.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface ImageStep {
  readonly instruction: string
  readonly text: string
}

export interface PlayedImage {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly command: readonly string[]
}

export const parseImageSteps = (text: string): readonly ImageStep[] =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ instruction: line.split(' ', 1)[0] ?? '', text: line.slice(line.indexOf(' ') + 1) }))

/** Plays the steps with the project as the context of the build. Paths that begin with `home` are below the root. */
export const playImageSteps = (
  steps: readonly ImageStep[],
  { root, context, home, env }: { root: string; context: string; home: string; env: NodeJS.ProcessEnv },
): PlayedImage => {
  const within = (text: string) => text.replaceAll(home, join(root, home))
  mkdirSync(join(root, home), { recursive: true })
  const image = { folder: root, env, command: [] as readonly string[] }
  const ignored = ignoredPaths(context)
  const players: { readonly [instruction: string]: (text: string) => void } = {
    RUN: (text) =>
      void execFileSync('/bin/sh', ['-ec', within(text)], { cwd: image.folder, env: image.env, stdio: 'pipe' }),
    WORKDIR: (text) => {
      image.folder = within(text)
      mkdirSync(image.folder, { recursive: true })
    },
    COPY: (text) => {
      const [from = '', to = ''] = text.split(' ').filter((word) => !word.startsWith('--'))
      const filter = (path: string) => !ignored.includes(relative(context, path))
      cpSync(join(context, from), join(image.folder, to), { recursive: true, filter })
    },
    ENV: (text) => {
      const [name = '', value = ''] = text.split('=')
      image.env = { ...image.env, [name]: within(value) }
    },
    CMD: (text) => {
      image.command = JSON.parse(text) as string[]
    },
    ...{ FROM: () => {}, USER: () => {}, VOLUME: () => {}, EXPOSE: () => {} },
  }
  for (const { instruction, text } of steps) {
    const play = players[instruction]
    if (!play) throw new Error(`Nobody knows how to play ${instruction} ${text}`)
    play(text)
  }
  return image
}

const ignoredPaths = (context: string): readonly string[] => {
  const file = join(context, '.dockerignore')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.filter((line) => line !== '').map((line) => line.replace(/\/$/, ''))
}
