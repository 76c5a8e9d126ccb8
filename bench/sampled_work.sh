#!/bin/sh
# SPDX-License-Identifier: MIT
# sampled_work.sh - what the sampled programs are given to do, a second or two each.
#
#	sampled_work.sh DIRECTORY
set -eu
mkdir -p "$1"
cd "$1"

cat >sqlite3.sql <<'END'
CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, name TEXT, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
INSERT INTO item SELECT i, i * 7919 % 997, printf('item-%d-%x', i % 5003, i * 31), i % 811 / 7.0
FROM n;
CREATE INDEX by_kind ON item(kind, price);
CREATE INDEX by_name ON item(name);
SELECT kind, count(*), sum(price), group_concat(id % 10) FROM item GROUP BY kind ORDER BY 3;
SELECT a.kind, count(*) FROM item a JOIN item b ON b.name = a.name AND b.id <> a.id
GROUP BY a.kind ORDER BY 2 DESC;
SELECT count(*) FROM item WHERE name LIKE '%17%3_' OR lower(name) GLOB '*a*f?';
SELECT kind, (SELECT max(price) FROM item i WHERE i.kind = o.kind) FROM item o
WHERE id % 3 = 0 ORDER BY name DESC LIMIT 5000;
WITH RECURSIVE f(i, a, b) AS (SELECT 1, 0, 1 UNION ALL SELECT i + 1, b, (a + b) % 1000007
FROM f WHERE i < 300000) SELECT sum(a) FROM f;
UPDATE item SET price = price * 2, name = name || kind WHERE id % 5 = 0;
DELETE FROM item WHERE kind % 2;
END

cat >lua.lua <<'END'
local function tree(depth)
	if depth == 0 then return { value = 1 } end
	return { left = tree(depth - 1), right = tree(depth - 1), value = depth }
end
local function visit(node, act)
	if not node then return 0 end
	return visit(node.left, act) + act(node) + visit(node.right, act)
end
local point = {}
point.__index = point
point.__lt = function(a, b) return a.x < b.x end
point.__add = function(a, b) return setmetatable({ x = a.x + b.x }, point) end
local sum, seed = 0, 42
local function draw() seed = (seed * 1103515245 + 12345) % 2147483648 return seed end
for round = 1, 24 do
	sum = sum + visit(tree(12), function(node) return node.value end)
	local points = {}
	for i = 1, 5000 do points[i] = setmetatable({ x = draw() }, point) end
	table.sort(points, function(a, b) return a < b end)
	local text = string.rep("the quick brown fox jumps over it ", 300)
	text = text:gsub("%a+", function(word)
		return (word:gsub("[aeiou]", function(c) return c:upper() end))
	end)
	for word in text:gmatch("%a+") do sum = sum + #word:reverse():lower() end
	local walk = coroutine.wrap(function()
		for i = 1, 20000 do
			pcall(function() coroutine.yield(points[i % 5000 + 1] + points[1]) end)
		end
	end)
	for _ = 1, 20000 do sum = sum + walk().x % 3 end
	local names = {}
	for i = 1, 20000 do names[#names + 1] = ("%s-%05d"):format("name", draw() % 99999) end
	table.sort(names)
	sum = sum + #table.concat(names, ",")
end
print(sum)
END

cat >python3.py <<'END'
import copy, decimal, functools, json, random, re

chance = random.Random(42)


class Shape:
    def __init__(self, size):
        self.size, self.parts = size, [size // n for n in range(1, 6)]

    def __lt__(self, other):
        return sum(map(int, self.parts)) < sum(map(int, other.parts))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return functools.reduce(lambda a, b: a ^ b, self.parts)


@functools.lru_cache(maxsize=None)
def ways(n, k):
    return 1 if n == 0 else 0 if n < 0 or k == 0 else ways(n - k, k) + ways(n, k - 1)


def nested(depth):
    return {"n": depth, "list": [nested(depth - 1) for _ in range(3)]} if depth else "leaf"


total = 0
for turn in range(10):
    shapes = sorted(Shape(chance.randrange(10 ** 6)) for _ in range(2000))
    total += sum(shape.kind for shape in shapes)
    tree = nested(6)
    total += len(json.dumps(copy.deepcopy(tree), indent=1, default=str))
    total += len(json.loads(json.dumps(tree), object_hook=lambda d: dict(sorted(d.items()))))
    text = " ".join(f"word{chance.randrange(1000)}-{i}" for i in range(10000))
    total += len(re.sub(r"word(\d+)-(\d+)", lambda m: str(int(m[1]) * int(m[2])), text))
    ways.cache_clear()
    total += ways(120, 60) % 1000
    total += int(sum(decimal.Decimal(i).sqrt() for i in range(20000)))
    total += len(compile("\n".join(f"x{i} = [{i}, (lambda y: y + {i})(3)]"
                                   for i in range(1500)), "work", "exec").co_names)
print(total)
END

cat >gdb.gdb <<'END'
set debuginfod enabled off
set pagination off
set width 0
maint expand-symtabs
set $i = 0
while $i < 60
info functions ^w.*s
info types s$
info line wcm_stack_capture
break wcm__walk_take
break main
delete
info scope main
ptype struct wcm_walk
disassemble /s wcm_stack_capture
complete p wcm__
list walk.c:1,50
python gdb.decode_line("walk.c:100"), [gdb.lookup_type("struct wcm_walk").fields() for _ in range(100)]
maint flush symbol-cache
set $i = $i + 1
end
END
