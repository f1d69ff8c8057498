// The cockpit and the command line have no formatter of their own: two of them soon disagree about one session.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const roots = ['../../cli/src/', '../../../apps/cockpit/src/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** A number beside a unit in a template or behind a rounding, and the formatters of the language. */
const FORMATTERS = [
  /toLocaleString\('|NumberFormat\(/,
  /\/ ?(1000|1_000|60_000|3_600_000)\)?(\.toFixed\(\d\))?\)?\} ?(ms|s|m|min|h|kB|k|seconds|minutes)\b/,
  /\$\{\w*(ms|Ms|seconds|minutes)\} ?(ms|s|m|min|seconds|minutes)\b/,
  /\$\$\{|toFixed\(\d\)\}? ?(USD|k|M|kB|MB)|\} USD/,
  /\} tokens\b/,
]

test.each([
  [`\${ms / 1_000} s`, true],
  [`\${Math.round(ms / 1000)} s`, true],
  [`\${elapsedMs} ms`, true],
  [`$\${usd.toFixed(2)}`, true],
  ["count.toLocaleString('en')", true],
  [`\${durationText(ms)} later`, false],
  [`\${exactCountText(count)} tokens`, true],
])('%s', (source, isFound) => expect(FORMATTERS.some((each) => each.test(source))).toBe(isFound))

/** Sentences around an amount that `bridle/words` wrote, a price of a table, and a countdown in whole seconds. */
const ALLOWED = [/[cC]ountText\([^)]*\)\} tokens/, /bearer\(`\$\$\{from\}`\)/, /Next try in \$\{seconds\} s/]

test('durations, money and tokens are formatted in `words` alone', () => {
  const found = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !/\.(test|suite)\.tsx?$/.test(path))
      .flatMap((path) =>
        readFileSync(`${root}${path}`, 'utf8')
          .split('\n')
          .filter((line) => FORMATTERS.some((each) => each.test(line)) && !ALLOWED.some((each) => each.test(line)))
          .map((line) => `${path}: ${line.trim()}`),
      ),
  )
  expect(found).toEqual([])
})
