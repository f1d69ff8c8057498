// Names of JSON fields, environment variables and configuration keys that hold secrets.

/** `certain`: the value is a secret. `possible`: only if it looks like one. */
export type NameKind = 'certain' | 'possible' | null

/** The end of a name, such as `githubToken`, `PGPASSWORD` or `x-api-key`. Does not match `tokens_saved` or `token_count`. */
const SECRET = 'passw(?:or)?d|passphrase|secret|token|api[_-]?key|authorization|credentials?'
const KEY =
  'api|secret|private|access|encryption|decryption|signing|master|storage|shared|ssh|deploy|jwt|hmac|aes|auth|account|license|webhook'
const PASS =
  'db|database|user|admin|root|login|basic|proxy|http|smtp|imap|pop3|mail|email|ftp|sftp|ssh|ldap|sudo|redis|mysql|pg|postgres|postgresql|mongo|mongodb|rabbitmq|jdbc|keystore|truststore|wifi|vnc'

const capitalized = (words: string): string =>
  words
    .split('|')
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('|')

const certainEnd = new RegExp(`(?:${SECRET}|(?:^|[_-])(?:(?:${KEY})[_-]?key|(?:${PASS})[_-]?(?:pass|pwd)))$`, 'i')
/** Camel case: `dbPass`, `awsSigningKey`. */
const certainCamelEnd = new RegExp(
  `[a-z](?:${capitalized(KEY)})Key$|[a-z0-9](?:${capitalized(PASS)})(?:Pass|Pwd)$|^(?:${KEY})Key$|^(?:${PASS})(?:Pass|Pwd)$`,
)
const possibleEnd = /(?:^|[_-])(?:pass|pwd|key|Pass|Pwd|Key|PASS|PWD|KEY)$|[a-z0-9](?:Pass|Pwd|Key)$/

/** Keys that are not secret, and a shell's working directory. */
const PLAIN = /(?:^|_)(?:PRIMARY|FOREIGN|PUBLIC|SORT|PARTITION|CACHE|UNIQUE|INDEX|IDEMPOTENCY|HOT)_?KEY$|^(?:OLD)?PWD$/
const SECRET_WORD =
  /(?:^|_)(?:[A-Z]*PASS(?:WORD|WD|PHRASE)|[A-Z]*SECRET|[A-Z]*TOKEN|API_?KEY|(?:PRIVATE|ACCESS)_KEY)(?:_|$)/
/** Settings about a secret, such as TOKEN_LIMIT. */
const FACT =
  /_(?:COUNT|LIMIT|MAX|MIN|SIZE|LENGTH|BYTES|URL|URI|ENDPOINT|HOST|FILE|PATH|DIR|NAME|ID|ARN|TYPE|TTL|EXPIRY|EXPIRES|TIMEOUT|BUDGET|USED|SAVED)$/

export const nameKind = (name: string): NameKind => {
  if (certainEnd.test(name) || certainCamelEnd.test(name)) return 'certain'
  return possibleEnd.test(name) ? 'possible' : null
}

/** `NAME=value` with a value that is always treated as a secret. */
export const isSecretVariable = (name: string): boolean => {
  if (!/^[A-Z0-9_]+$/.test(name) || PLAIN.test(name) || FACT.test(name)) return false
  return nameKind(name) !== null || SECRET_WORD.test(name)
}
