// A schema defines each answer once: type, OpenAPI component and published doc comments are derived from it.
// `scripts/plain-schema-types.ts` matches these interfaces by name.

import type { Json, JsonObject } from '@bridle/events/json'
import * as v from 'valibot'

export type AnswerOf<S extends v.GenericSchema> = v.InferOutput<S>

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

export interface NullableField<F extends ValueField<unknown, string>> extends v.GenericSchema<v.InferOutput<F> | null> {
  readonly pipe: F['pipe']
}

export interface OptionalField<S extends v.GenericSchema> extends v.ExactOptionalSchema<S, undefined> {
  /** Exists only at compile time, so that a required field of the kernel is not assignable. */
  readonly isOptional?: true
}

export interface Entries {
  readonly [name: string]: v.GenericSchema
}

/** A named object. Additional fields are allowed, so that answers can grow. */
export interface AnswerSchema<N extends string, D extends string, E extends Entries>
  extends v.GenericSchema<Values<E>> {
  readonly pipe: AnswerPipe<N, D>
  readonly entries: E
}

/** Includes all fields of other answers. Its own fields win. */
export interface ExtendedSchema<N extends string, D extends string, E extends Entries, B extends readonly Extensible[]>
  extends AnswerSchema<N, D, AllEntries<E, B>> {}

/** An answer to which agents or engines add their own fields. */
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

/** Has exactly the fields of a kernel type. */
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

export const described = <T, const D extends string>(schema: v.GenericSchema<T>, meaning: D): ValueField<T, D> =>
  v.pipe(schema, v.description(meaning)) as unknown as ValueField<T, D>

const fieldsOf =
  <T>(schema: v.GenericSchema<T>) =>
  <const D extends string>(meaning: D): ValueField<T, D> =>
    described(schema, meaning)

export const wholeNumber = v.pipe(v.number(), v.integer(), v.minValue(0))
/** As written by `toISOString`. */
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

export const nullableText = <const D extends string>(meaning: D) => nullable(text(meaning))
export const nullableTime = <const D extends string>(meaning: D) => nullable(time(meaning))

export const oneOf = <const V extends readonly string[], const D extends string>(
  values: V,
  meaning: D,
): ChoiceField<V, D> => described(v.picklist(values), meaning)

export const always = <const T extends string | true, const D extends string>(value: T, meaning: D): ValueField<T, D> =>
  described(v.literal(value), meaning)

export const optional = <S extends v.GenericSchema>(field: S): OptionalField<S> => v.exactOptional(field)

export const list = <S extends v.GenericSchema, const D extends string>(item: S, meaning: D): ListField<S, D> =>
  described(v.array(item), meaning) as ListField<S, D>

/** The description must explain null. */
export const nullable = <F extends ValueField<unknown, string>>({ pipe: [schema, meaning] }: F): NullableField<F> =>
  v.pipe(v.nullable(schema), meaning) as unknown as NullableField<F>

export const dictionary = <S extends v.GenericSchema, const D extends string>(
  value: S,
  meaning: D,
): DictionaryField<S, D> => described(v.record(v.string(), value), meaning) as DictionaryField<S, D>

/** An unnamed object. */
export const object = <E extends Entries, const D extends string>(entries: E, meaning: D): ObjectField<E, D> =>
  described(v.object(entries), meaning) as unknown as ObjectField<E, D>

/** Lazy, so that /openapi.json emits a reference with its own description. */
export const reference = <S extends v.GenericSchema, const D extends string>(
  schema: S,
  meaning: D,
): ReferenceField<S, D> => described(v.lazy(() => schema) as v.GenericSchema<v.InferOutput<S>>, meaning)
