// TypeSafe's SDK for JavaScript asks a server that lets everybody ask: node typesafe_sdk.mjs URL
// It ends with status 1 at the first fault; without one it says in a line what was tried.

import assert from "node:assert/strict";

import {
  choice,
  NotFoundError,
  noul,
  score,
  TypeSafeClient,
  UnprocessableEntityError,
} from "@typesafe-ai/sdk";

const STATE = { subject: "Charged twice", body: "I was charged twice. ".repeat(100) }; // 2 KiB
const TEAMS = { billing: "Payments and refunds", technical: null, "sales — 営業": ["Prices"] };
const LEVELS = ["calm", { label: "annoyed" }, "furious"];

const client = new TypeSafeClient({
  baseURL: process.argv[2],
  apiKey: "local",
  timeout: 600_000,
  retry: { maxRetries: 0 },
});

const near = (a, b) => Math.abs(a - b) < 1e-9;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

const { data, requestId } = await client
  .systemOne({
    state: STATE,
    questions: {
      urgent: noul("Does it need an answer today?", { true: "They threaten to leave" }),
      team: choice("Whose is it?", TEAMS),
      anger: score(null, LEVELS),
    },
  })
  .withResponse();
assert.match(requestId, /^[0-9a-f]{32}$/);

const { urgent, team, anger } = data.answers;
assert.equal(urgent.type, "noul");
assert.ok(urgent.noul >= 0 && urgent.noul <= 1);
assert.deepEqual(Object.keys(team.probabilities), Object.keys(TEAMS));
assert.ok(near(sum(Object.values(team.probabilities)), 1));
assert.equal(team.probabilities[team.choice], Math.max(...Object.values(team.probabilities)));
assert.ok(team.confidence >= 0 && team.confidence <= 1);
assert.deepEqual(Object.values(anger.legend), LEVELS);
const levels = Object.values(anger.probabilities);
assert.ok(near(sum(levels), 1));
assert.ok(near(anger.score, sum(levels.map((p, level) => p * level))));
assert.ok(Number.isInteger(data.usage.input_tokens) && data.usage.input_tokens > 0);
assert.ok(Number.isInteger(data.usage.output_tokens) && data.usage.output_tokens > 0);

const models = await client.models.list();
assert.ok(models.some((model) => model.name === data.model));
assert.ok(models.some((model) => model.name === "jev-latest"));

const ask = { state: "a", questions: { q: noul("b?") } };
await assert.rejects(client.systemOne({ ...ask, model: "nobody" }), NotFoundError);
const many = Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`${index}`, null]));
await assert.rejects(
  client.systemOne({ state: "a", questions: { q: choice("b?", many) } }),
  (error) => error instanceof UnprocessableEntityError && error.message.includes("at most 255"),
);

console.log("three kinds of answer, the list of models and two errors are as expected");
