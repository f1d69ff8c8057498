import type { Check } from './finding.ts'

/** The subject of a comment is a thing with a name. */
export const pronounComments: Check = ({ file, comments, lineAt }) => {
  let above = -1
  return comments.flatMap(({ type, value, start, end }) => {
    const isContinued = type === 'Line' && lineAt(start) === above + 1
    above = type === 'Line' ? lineAt(end) : -1
    const first = /^[\s*/]*([A-Za-z]+)/.exec(value)?.[1]
    if (isContinued || !first || !PRONOUNS.has(first)) return []
    return [{ file, line: lineAt(start), says: `name the subject of the comment instead of \`${first}\`` }]
  })
}

const PRONOUNS: ReadonlySet<string> = new Set(
  'What Who Whoever Whom Whose Whatever Whichever One Ones It Its Of Those These'.split(' '),
)
