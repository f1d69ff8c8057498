// The fields of answers. A schema is the only statement of an answer: its type, its component in /openapi.json, and the doc comments of
// the published declarations all follow from it. `scripts/plain-schema-types.ts` knows these interfaces by name. Clients import the types
// alone, so none of this reaches a page.

import type { Json, JsonObject } from '@bridle/events/json'
import * as v from 'valibot'

export type AnswerOf<S extends v.GenericSchema> = v.InferOutput<S>

/** A schema with the meaning of its value. */
export interface ValueField<T, D extends string> extends v.GenericSchema<T> {
  readonly pipe: readonly [v.GenericSchema<T>, v.DescriptionAction<T, D>]
}

export interface ChoiceField<V extends readonly string[], D extends string> extends ValueField<V[number], D> {}
export interface ReferenceField<S extends v.GenericSchema, D extends string> extends ValueField<v.InferOutput<S>, D> {}
export interface ListField<S extends v.GenericSchema, D extends string>
  extends ValueField<readonly v.InferOutput<S>[], D> {}
export interface ObjectField<E extends Entries, D extends string> extends ValueField<Values<E>, D> {}
export interface DictionaryField<S extends v.GenericSchema, D extends string>
  extends ValueField<{ readonly [name: string]: v.InferOutput<S> }, D> {}

/** The value may be null. */
export interface NullableField<F extends ValueField<unknown, string>> extends v.GenericSchema<v.InferOutput<F> | null> {
  readonly pipe: F['pipe']
}

/** The value may be missing. */
export interface OptionalField<S extends v.GenericSchema> extends v.ExactOptionalSchema<S, undefined> {
  /** For the compiler alone: a required field of the kernel is no such field. */
  readonly isOptional?: true
}

export interface Entries {
  readonly [name: string]: v.GenericSchema
}

/** An object with a name of its own. Fields beyond these are allowed: an answer may grow. */
export interface AnswerSchema<N extends string, D extends string, E extends Entries>
  extends v.GenericSchema<Values<E>> {
  readonly pipe: AnswerPipe<N, D>
  readonly entries: E
}

/** An answer that has all fields of other answers. Its own fields win. */
export interface ExtendedSchema<N extends string, D extends string, E extends Entries, B extends readonly Extensible[]>
  extends AnswerSchema<N, D, AllEntries<E, B>> {}

/** An answer in which the agent or the engine has further fields of its own. */
export interface OpenSchema<N extends string, D extends string, E extends Entries, R>
  extends v.GenericSchema<Values<E> & { readonly [name: string]: R }> {
  readonly pipe: AnswerPipe<N, D>
}

type AnswerPipe<N extends string, D extends string> = readonly [
  v.GenericSchema,
  v.TitleAction<unknown, N>,
  v.DescriptionAction<unknown, D>,
]

interface Extensible {
  readonly entries: object
}

type AllEntries<E extends Entries, B extends readonly Extensible[]> = B extends readonly [
  infer First extends Extensible,
  ...infer Rest extends readonly Extensible[],
]
  ? Omit<First['entries'], keyof E> & AllEntries<E, Rest>
  : E

/** The values that entries describe. */
export type Values<E> = Flat<
  { readonly [K in Exclude<keyof E, OptionalKeys<E>>]: Value<E[K]> } & {
    readonly [K in OptionalKeys<E>]?: Value<E[K]>
  }
>
type Value<S> = S extends v.GenericSchema<infer _, infer T> ? T : never
type OptionalKeys<E> = { [K in keyof E]: E[K] extends { readonly type: 'exact_optional' } ? K : never }[keyof E]
type Flat<T> = { [K in keyof T]: T[K] }

export const answer = <const N extends string, const D extends string, E extends Entries>(
  name: N,
  meaning: D,
  entries: E,
): AnswerSchema<N, D, E> =>
  v.pipe(v.object(entries), v.title(name), v.description(meaning)) as unknown as AnswerSchema<N, D, E>

export const extendedAnswer = <
  const N extends string,
  const D extends string,
  E extends Entries,
  B extends readonly Extensible[],
>(
  name: N,
  meaning: D,
  bases: readonly [...B],
  entries: E,
): ExtendedSchema<N, D, E, B> =>
  answer(name, meaning, Object.assign({}, ...bases.map((base) => base.entries), entries) as AllEntries<E, B>)

export const openAnswer = <const N extends string, const D extends string, E extends Entries>(
  name: N,
  meaning: D,
  entries: E,
): OpenSchema<N, D, E, Json> =>
  v.pipe(v.objectWithRest(entries, json), v.title(name), v.description(meaning)) as unknown as OpenSchema<N, D, E, Json>

/** A schema for a type of the kernel, which has exactly its fields. */
export interface KernelSchema<T> extends v.GenericSchema<T> {
  readonly entries: KernelEntries<T>
}

export type KernelEntries<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? OptionalField<v.GenericSchema<Exclude<T[K], undefined>>>
    : v.GenericSchema<T[K]> & { readonly isOptional?: never }
}

export const kernelSchema = <T>(name: string, meaning: string, entries: KernelEntries<T>): KernelSchema<T> =>
  answer(name, meaning, entries as unknown as Entries) as unknown as KernelSchema<T>

/** A value that only its schema describes. */
export const described = <T, const D extends string>(schema: v.GenericSchema<T>, meaning: D): ValueField<T, D> =>
  v.pipe(schema, v.description(meaning)) as unknown as ValueField<T, D>

/** Makes the fields that have this schema. */
const fieldsOf =
  <T>(schema: v.GenericSchema<T>) =>
  <const D extends string>(meaning: D): ValueField<T, D> =>
    described(schema, meaning)

export const wholeNumber = v.pipe(v.number(), v.integer(), v.minValue(0))
/** ISO 8601, as `toISOString` writes it. */
const isoTime = v.pipe(v.string(), v.metadata({ format: 'date-time' }))
const json = v.custom<Json>((value) => value !== undefined, 'Expected JSON')
const jsonObject = v.pipe(
  v.custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'Expected an object',
  ),
  v.metadata({ type: 'object' }),
)

export const text = fieldsOf(v.string())
export const flag = fieldsOf(v.boolean())
export const amount = fieldsOf(v.number())
export const count = fieldsOf(wholeNumber)
export const time = fieldsOf(isoTime)
export const anyJson = fieldsOf(json)
export const anyObject = fieldsOf(jsonObject)

/** The most frequent of the values that may be null. */
export const nullableText = <const D extends string>(meaning: D) => nullable(text(meaning))
export const nullableTime = <const D extends string>(meaning: D) => nullable(time(meaning))

/** A value of a closed set. */
export const oneOf = <const V extends readonly string[], const D extends string>(
  values: V,
  meaning: D,
): ChoiceField<V, D> => described(v.picklist(values), meaning)

/** Always the same value. */
export const always = <const T extends string | true, const D extends string>(value: T, meaning: D): ValueField<T, D> =>
  described(v.literal(value), meaning)

export const optional = <S extends v.GenericSchema>(field: S): OptionalField<S> => v.exactOptional(field)

export const list = <S extends v.GenericSchema, const D extends string>(item: S, meaning: D): ListField<S, D> =>
  described(v.array(item), meaning) as ListField<S, D>

/** The meaning says what null means. */
export const nullable = <F extends ValueField<unknown, string>>({ pipe: [schema, meaning] }: F): NullableField<F> =>
  v.pipe(v.nullable(schema), meaning) as unknown as NullableField<F>

/** An object with any names, and values of one kind. */
export const dictionary = <S extends v.GenericSchema, const D extends string>(
  value: S,
  meaning: D,
): DictionaryField<S, D> => described(v.record(v.string(), value), meaning) as DictionaryField<S, D>

/** An object without a name of its own. */
export const object = <E extends Entries, const D extends string>(entries: E, meaning: D): ObjectField<E, D> =>
  described(v.object(entries), meaning) as unknown as ObjectField<E, D>

/** Another answer. Lazy, so that /openapi.json refers to it, with the meaning beside the reference. */
export const reference = <S extends v.GenericSchema, const D extends string>(
  schema: S,
  meaning: D,
): ReferenceField<S, D> => described(v.lazy(() => schema) as v.GenericSchema<v.InferOutput<S>>, meaning)
