// Matches speech with the options of a question: by label, by place, or as free text. Ambiguous speech matches nothing, because the agent would act
// on the wrong option.
import type { QuestionAnswer } from '@bridle/events/answers'
import type { Question, QuestionOption } from '@bridle/events/questions'

export const heardAnswer = (question: Question, said: string): QuestionAnswer | null => {
  const { options = [], multi_select, allow_free_text } = question
  if (options.length === 0) return multi_select ? [said] : said
  if (multi_select) return severalOptions(options, said) ?? (allow_free_text ? [said] : null)
  // "SQLite, but in memory" is a text of its own, and where none is taken it still means an option.
  const found = wholeOption(options, said) ?? (allow_free_text ? null : namedOption(options, said))
  return found?.label ?? (allow_free_text ? said : null)
}

const severalOptions = (options: readonly QuestionOption[], said: string): readonly string[] | null => {
  const isAll = ALL.test(plain(said)) || (options.length === 2 && BOTH.test(plain(said)))
  if (isAll) return options.map(({ label }) => label)
  const whole = wholeOption(options, said)
  if (whole) return [whole.label]
  const found = said.split(/,|;|&|\band\b|\bund\b/i).flatMap((part) => {
    if (plain(part) === '') return []
    return [wholeOption(options, part) ?? namedOption(options, part)]
  })
  if (found.length === 0 || found.some((option) => option === null)) return null
  return [...new Set((found as readonly QuestionOption[]).map(({ label }) => label))]
}

/** Matches only if the speech consists of the option. */
const wholeOption = (options: readonly QuestionOption[], said: string): QuestionOption | null => {
  const words = plain(said)
  const isLabel = ({ label }: QuestionOption) => plain(label) === words || plain(label) === withoutFiller(words)
  const byLabel = options.filter(isLabel)
  if (byLabel.length > 0) return byLabel.length === 1 ? (byLabel[0] ?? null) : null
  const place = placeOf(words, options.length)
  return place === null ? null : (options[place] ?? null)
}

/** The only option whose label the speech contains. "Not SQLite" matches nothing. */
const namedOption = (options: readonly QuestionOption[], said: string): QuestionOption | null => {
  const words = ` ${plain(said)} `
  if (DENIAL.test(words)) return null
  const found = options.filter(({ label }) => plain(label) !== '' && words.includes(` ${plain(label)} `))
  // "PostgreSQL 16" is not "PostgreSQL".
  const longest = found.filter(
    ({ label }) => !found.some((other) => other.label !== label && plain(other.label).includes(plain(label))),
  )
  return longest.length === 1 ? (longest[0] ?? null) : null
}

/** The index for "the second one", "number 2" or "two". Null for other words. */
const placeOf = (words: string, count: number): number | null => {
  const place = withoutFiller(words).replace(/ one$/, '')
  const index = place === 'last' ? count - 1 : PLACES.findIndex((names) => names.includes(place))
  return index >= 0 && index < count ? index : null
}

const withoutFiller = (words: string): string =>
  words
    .split(' ')
    .filter((word) => !FILLER.has(word))
    .join(' ')

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}+#]+/gu, ' ')
    .trim()

const PLACES: readonly (readonly string[])[] = [
  ['1', 'one', 'first', '1st'],
  ['2', 'two', 'second', '2nd'],
  ['3', 'three', 'third', '3rd'],
  ['4', 'four', 'fourth', '4th'],
  ['5', 'five', 'fifth', '5th'],
  ['6', 'six', 'sixth', '6th'],
  ['7', 'seven', 'seventh', '7th'],
  ['8', 'eight', 'eighth', '8th'],
  ['9', 'nine', 'ninth', '9th'],
]
const FILLER = new Set(
  'a the option number answer choice please i i d ll would like want take choose pick prefer use let s go with it is that um uh er well then'.split(
    ' ',
  ),
)
const DENIAL = / (?:not|no|never|neither|nor|don t|without|except|but|anything|nicht|kein|keine) /
const ALL = /^(?:all|everything|all of (?:them|these|it))$/
const BOTH = /^both(?: of (?:them|these))?$/
